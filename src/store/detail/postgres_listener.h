// store/detail/postgres_listener.h
//
// Hears of commits: one connection that LISTENs, on a thread of its own, and calls back on the
// loop. When the connection breaks it is made again, with pauses of 0.2 s to 5 s, and then it calls
// back once: something may have been missed. Loop thread only, but for start().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "os/loop.h"
#include "store/detail/answer.h"
#include "store/detail/postgres_session.h"

namespace helve::store {

class PostgresListener final : public Closable {
 public:
  PostgresListener(os::Loop& loop, const PostgresShared& shared, std::function<void()> react);
  PostgresListener(const PostgresListener&) = delete;
  PostgresListener& operator=(const PostgresListener&) = delete;
  ~PostgresListener() override { close(); }

  // Listens when it returns; nothing if it did before. Any thread. Refused: store.unavailable.
  Result<void> start();
  void close() override;

 private:
  // Outlives the listener in what was posted to the loop.
  struct Heard {
    std::function<void()> react;  // loop thread; empty after close()
    std::atomic<bool> posted = false;
  };

  Result<void> connect();
  void listen();
  void reconnect();
  void hear();
  void tell();

  os::Loop& loop_;
  const PostgresShared& shared_;
  std::shared_ptr<Heard> heard_;
  std::mutex mutex_;  // of starting and ending
  std::thread thread_;
  bool closed_ = false;
  std::unique_ptr<PostgresConnection> connection_;  // the thread's, once it runs
};

}  // namespace helve::store
