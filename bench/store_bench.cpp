// Durable inserts through Database::write, one after the other and 16 at a time, beside the same
// rows through the C API of SQLite alone, with the same settings. The bar: 0.8 of its rate.
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/ids.h"
#include "store/detail/sqlite.h"

namespace {

namespace fs = std::filesystem;
using helve::Result;
using helve::store::Connection;

constexpr const char* kTable = "CREATE TABLE line (id INTEGER PRIMARY KEY, said TEXT NOT NULL)";
constexpr helve::store::Step kSteps[] = {{kTable, ""}};
const std::string kSaid(500, 's');

class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  const fs::path path_ = fs::temp_directory_path() / ("helve-bench-" + helve::random_hex(8));
};

void run(sqlite3* db, const char* sql) {
  HELVE_CHECK(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

void sqlite_alone(benchmark::State& state) {
  const Folder folder;
  sqlite3* db = nullptr;
  HELVE_CHECK(sqlite3_open((folder / "db").c_str(), &db) == SQLITE_OK);
  run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  run(db, kTable);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO line (said) VALUES (?)", -1, &insert, nullptr);
  for (auto _ : state) {
    run(db, "BEGIN IMMEDIATE");
    for (std::int64_t row = 0; row < state.range(0); ++row) {
      sqlite3_bind_text(insert, 1, kSaid.data(), static_cast<int>(kSaid.size()), SQLITE_STATIC);
      HELVE_CHECK(sqlite3_step(insert) == SQLITE_DONE);
      sqlite3_reset(insert);
    }
    run(db, "COMMIT");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  sqlite3_finalize(insert);
  sqlite3_close(db);
}
BENCHMARK(sqlite_alone)->Arg(1)->Arg(16)->UseRealTime();

Result<void> insert(Connection& connection) {
  const auto done = connection.run("INSERT INTO line (said) VALUES ($1)", {kSaid});
  if (!done) return std::unexpected(done.error());
  return {};
}

void store_write(benchmark::State& state) {
  const Folder folder;
  helve::os::Loop loop;
  const auto database =
      helve::store::open_sqlite(loop, {.at = folder / "db", .schemas = {{"lines", kSteps}}});
  const auto write = [&](std::int64_t count) {
    std::int64_t left = count;
    for (std::int64_t row = 0; row < count; ++row) {
      boost::asio::co_spawn(loop.context(), database->write(insert),
                            [&left](std::exception_ptr, const Result<void>& done) {
                              HELVE_CHECK(done.has_value());
                              --left;
                            });
    }
    loop.context().restart();
    while (left > 0) loop.context().run_one();
  };
  write(1);  // opens it
  for (auto _ : state) write(state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(store_write)->Arg(1)->Arg(16)->UseRealTime();

}  // namespace
