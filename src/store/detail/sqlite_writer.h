// store/detail/sqlite_writer.h
//
// The one thread that writes: takes what waits, at most 16 at a time, into one transaction, and
// answers when its commit is durable. Also moves the log into the database. The thread begins with
// the first write; push() and close() on the loop thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/detail/answer.h"
#include "store/detail/sqlite_file.h"

namespace helve::store {

class SqliteWriter {
 public:
  // `committed` is called on the writing thread.
  SqliteWriter(std::shared_ptr<SqliteFile> file, std::function<void()> committed);
  ~SqliteWriter() { close(); }

  void push(Database::Work work, Done done);
  // What waits is refused; what is being written is finished.
  void close();

 private:
  struct Ticket {
    Database::Work work;
    Done done;
    Clock::time_point latest;  // of its turn
    Result<void> outcome;
  };
  using Batch = std::vector<Ticket>;

  void run(const std::stop_token& stop);
  bool wait(const std::stop_token& stop);
  void serve(const std::stop_token& stop);
  void serve_in_turn();
  Result<void> connect();
  Batch take();
  void refuse_first(const Refusal& refusal);
  Result<void> write(Batch& batch);
  Result<void> write_each(Batch& batch);
  Result<void> write_one(Ticket& ticket, bool alone);
  void overwrite_what_failed();
  void checkpoint();
  void look_after_errors();
  void rest(const std::stop_token& stop);
  void finish();

  const std::shared_ptr<SqliteFile> file_;
  const std::function<void()> committed_;
  std::unique_ptr<SqliteConnection> db_;
  bool rested_ = true;          // nothing was written since the log was emptied
  std::size_t last_batch_ = 0;  // how many it held
  int next_checkpoint_;         // pages in the log

  std::mutex mutex_;
  std::condition_variable_any pushed_;
  std::deque<Ticket> queue_;
  bool closed_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace helve::store
