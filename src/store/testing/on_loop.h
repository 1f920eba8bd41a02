// store/testing/on_loop.h
//
// Awaitables from plain tests: each call runs the loop until it has its answer. The loop's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "os/loop.h"
#include "store/database.h"

namespace helve::store::testing {

// Until all of them have ended.
inline void run_all(os::Loop& loop,
                    std::vector<std::function<boost::asio::awaitable<void>()>> coroutines) {
  std::size_t left = coroutines.size();
  for (auto& each : coroutines) {
    loop.spawn([&loop, &left, each = std::move(each)]() -> boost::asio::awaitable<void> {
      co_await each();
      if (--left == 0) loop.stop();
    });
  }
  loop.run();
  loop.context().restart();
}

inline Result<void> write(os::Loop& loop, Database& database, Database::Work work) {
  Result<void> done;
  run_all(loop, {[&]() -> boost::asio::awaitable<void> {
            done = co_await database.write(std::move(work));
          }});
  return done;
}

inline Result<void> read(os::Loop& loop, Database& database, Database::Work work) {
  Result<void> done;
  run_all(loop, {[&]() -> boost::asio::awaitable<void> {
            done = co_await database.read(std::move(work));
          }});
  return done;
}

// One statement that writes.
inline Result<void> write(os::Loop& loop, Database& database, std::string sql,
                          std::vector<Value> values = {}) {
  return write(loop, database, [&](Connection& connection) -> Result<void> {
    const auto done = connection.run(sql, values);
    if (!done) return std::unexpected(done.error());
    return {};
  });
}

// The rows of one statement that reads.
inline Result<std::vector<Row>> rows(os::Loop& loop, Database& database, std::string sql,
                                     std::vector<Value> values = {}) {
  Result<std::vector<Row>> found;
  const Result<void> done = read(loop, database, [&](Connection& connection) -> Result<void> {
    auto all = connection.run(sql, values);
    if (!all) return std::unexpected(all.error());
    found = std::move(all->rows);
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return found;
}

// Runs the loop until `condition` holds; false if it did not within `latest`.
inline bool until(os::Loop& loop, std::function<bool()> condition,
                  Duration latest = std::chrono::seconds(20)) {
  const auto end = Clock::now() + latest;
  while (!condition() && Clock::now() < end) {
    loop.context().run_for(std::chrono::milliseconds(10));
    loop.context().restart();
  }
  return condition();
}

}  // namespace helve::store::testing
