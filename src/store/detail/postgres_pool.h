// store/detail/postgres_pool.h
//
// The threads that wait for the server, so that the loop never does: none before the first use, up
// to 16 as they are needed, each with a connection of its own. Of connections that idle for a
// minute four are kept. Loop thread only.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/time.h"
#include "store/detail/answer.h"
#include "store/detail/postgres_session.h"

namespace helve::store {

class PostgresPool final : public Closable {
 public:
  explicit PostgresPool(const PostgresShared& shared) : shared_(shared) {}
  PostgresPool(const PostgresPool&) = delete;
  PostgresPool& operator=(const PostgresPool&) = delete;
  ~PostgresPool() override { close(); }

  // What waits for a thread longer than 5 s is refused, and so is all that waits once the server
  // was found to be unreachable.
  void add(Database::Work work, bool writes, Done done);
  void close() override;

 private:
  struct Job {
    Database::Work work;
    bool writes = false;
    Done done;
    Clock::time_point since = Clock::now();
  };

  void serve();
  std::optional<Job> take(PostgresSession& session);
  Result<void> run(Job& job, PostgresSession& session);
  void count_open(bool was_open, bool is_open);
  void refuse_waiting(const Refusal& refusal);

  const PostgresShared& shared_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::size_t idle_ = 0;  // threads
  std::size_t open_ = 0;  // connections
  bool closed_ = false;
};

}  // namespace helve::store
