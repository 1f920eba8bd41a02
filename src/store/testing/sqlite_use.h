// store/testing/sqlite_use.h
//
// A loop with an SQLite database on it, used step by step, and a table of numbered lines.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/detail/sqlite.h"

namespace helve::store::testing {

inline constexpr Step kLineSteps[] = {
    {"CREATE TABLE line (id INTEGER PRIMARY KEY, said TEXT NOT NULL) STRICT;"
     "CREATE INDEX line_said ON line (said);",
     ""},
    {"CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT; INSERT INTO more VALUES (7);", ""}};

// The tables at version 1 or 2.
inline Schema lines(std::size_t version = 1) {
  return {"lines", std::span(kLineSteps).first(version)};
}

inline std::string rule(const Result<void>& result) { return result ? "ok" : result.error().rule; }

inline Database::Work add_line(std::int64_t id, std::string said = "something") {
  return [id, said = std::move(said)](Connection& connection) -> Result<void> {
    const auto done = connection.run("INSERT INTO line VALUES ($1, $2)", {id, said});
    if (!done) return std::unexpected(done.error());
    return {};
  };
}

class SqliteUse {
 public:
  explicit SqliteUse(const std::filesystem::path& file, SqliteOptions options = {},
                     std::size_t version = 1)
      : database_(open_sqlite(loop_,
                              {.at = file.string(),
                               .schemas = {lines(version)},
                               .remark = [this](const Refusal& told) { remarks.push_back(told); }},
                              std::move(options))) {}

  Database& database() { return *database_; }
  os::Loop& loop() { return loop_; }

  Result<void> wait(boost::asio::awaitable<Result<void>> work) {
    Result<void> outcome;
    bool done = false;
    start(std::move(work), [&](Result<void> got) {
      outcome = std::move(got);
      done = true;
    });
    while (!done) turn();
    return outcome;
  }
  Result<void> write(Database::Work work) { return wait(database_->write(std::move(work))); }
  Result<void> read(Database::Work work) { return wait(database_->read(std::move(work))); }

  // All at once; what each of them was answered.
  std::vector<std::string> write_all(std::vector<Database::Work> works) {
    std::vector<std::string> rules(works.size());
    std::size_t done = 0;
    for (std::size_t at = 0; at < works.size(); ++at) {
      start(database_->write(std::move(works[at])), [&rules, &done, at](Result<void> got) {
        rules[at] = rule(got);
        ++done;
      });
    }
    while (done < rules.size()) turn();
    return rules;
  }

  // The one number that a question answers; -1: it was refused.
  std::int64_t number(std::string sql) {
    std::int64_t found = -1;
    const auto done = read([&](Connection& connection) -> Result<void> {
      const auto rows = connection.run(sql);
      if (!rows) return std::unexpected(rows.error());
      found = integer(rows->rows.at(0).at(0));
      return {};
    });
    return done ? found : -1;
  }
  std::string word(std::string sql) {
    std::string found;
    const auto done = read([&](Connection& connection) -> Result<void> {
      auto rows = connection.run(sql);
      if (!rows) return std::unexpected(rows.error());
      found = text(std::move(rows->rows.at(0).at(0)));
      return {};
    });
    return done ? found : done.error().rule;
  }

  // Until it is so, for at most `latest`.
  bool until(const std::function<bool()>& so, Duration latest = std::chrono::seconds(20)) {
    const auto end = Clock::now() + latest;
    while (!so() && Clock::now() < end) {
      loop_.context().restart();
      loop_.context().run_one_for(std::chrono::milliseconds(10));
    }
    return so();
  }

  std::vector<Refusal> remarks;

 private:
  void start(boost::asio::awaitable<Result<void>> work, std::function<void(Result<void>)> then) {
    boost::asio::co_spawn(loop_.context(), std::move(work),
                          [then = std::move(then)](std::exception_ptr error, Result<void> got) {
                            if (error) std::rethrow_exception(error);
                            then(std::move(got));
                          });
  }
  void turn() {
    loop_.context().restart();
    loop_.context().run_one();
  }

  os::Loop loop_;
  std::shared_ptr<Database> database_;
};

}  // namespace helve::store::testing
