// store/detail/sqlite_readers.h
//
// The threads that read, one at first and a second when the first has much to do; each has a
// connection of its own. Nothing that they do waits for a writer. All calls on the loop thread.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "store/database.h"
#include "store/detail/answer.h"
#include "store/detail/sqlite_file.h"

namespace helve::store {

class SqliteReaders {
 public:
  // `changed` is called on a reading thread.
  SqliteReaders(std::shared_ptr<SqliteFile> file, std::function<void()> changed);
  ~SqliteReaders() { close(); }

  void read(Database::Work work, Done done);
  void copy(std::string file, Done done);
  // Reads all of the database once; what is wrong with it is told to the file.
  void check();
  // Says `changed` if anybody committed something since the last look; the first one only looks.
  void look_for_changes();
  // What waits or runs is refused.
  void close();

 private:
  using Run = std::move_only_function<Result<void>(SqliteConnection&)>;
  struct Job {
    Run run;
    Done done;
    Clock::time_point latest;  // for the first of all, which may have to wait for its turn
  };
  struct Reader {
    std::unique_ptr<SqliteConnection> db;
    std::optional<std::int64_t> seen;  // PRAGMA data_version; means something for this db only
    bool looked = false;
    std::jthread thread;
  };

  void push(Run run, Done done);
  void start_one();
  void run(Reader& reader, const std::stop_token& stop);
  std::optional<Job> wait(Reader& reader, const std::stop_token& stop);
  Result<void> connect(Reader& reader, Clock::time_point latest, const std::stop_token& stop);
  void serve(Reader& reader, Job job, const std::stop_token& stop);
  void look(Reader& reader, const std::stop_token& stop);
  void look_after_errors(Reader& reader);
  void put_down(Reader& reader);
  void finish(Reader& reader);
  bool is_first(const Reader& reader) const { return &reader == readers_.data(); }

  const std::shared_ptr<SqliteFile> file_;
  const std::function<void()> changed_;

  std::mutex mutex_;  // what follows, and each `db` where it is made, dropped or interrupted
  std::condition_variable_any pushed_;
  std::deque<Job> queue_;
  std::size_t started_ = 0, resting_ = 0;
  bool look_ = false;  // for the first reader: only one connection's data_version can be compared
  bool closed_ = false;
  std::array<Reader, 2> readers_;  // last: their threads use all of the above
};

}  // namespace helve::store
