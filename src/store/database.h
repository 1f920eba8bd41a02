// store/database.h
//
// One database behind one interface: SQLite in the state folder, or PostgreSQL that many machines
// share. It knows transactions, statements and schemas; what the tables mean is the business of its
// users. SQL is written once in what both speak, with places $1, $2, ...; where they differ, the
// caller asks for the dialect. Awaitables: loop thread only. A Connection: the thread that it was
// handed out on, as long as that call lasts.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "os/loop.h"

namespace helve::store {

enum class Dialect : std::uint8_t { kSqlite, kPostgres };

// NULL, a whole number, a fraction, text (valid UTF-8 without NUL).
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Value>;

// What a column holds; a NULL is 0 or "".
std::int64_t integer(const Value& value);
double real(const Value& value);
std::string text(Value&& value);
bool is_null(const Value& value);

struct Rows {
  std::vector<Row> rows;
  std::int64_t changed = 0;  // rows that an INSERT, UPDATE or DELETE touched
};

// Inside one transaction.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual Dialect dialect() const = 0;
  // One statement; prepared once per connection and text, so the text has to be one of few.
  // Refused: store.unavailable {reason} for all that is not the caller's fault and may pass,
  // store.full {reason}, store.read_only {reason}, store.damaged {reason}. A wrong statement is our
  // own bug.
  virtual Result<Rows> run(std::string_view sql, std::span<const Value> values) = 0;
  Result<Rows> run(std::string_view sql, std::initializer_list<Value> values = {}) {
    return run(sql, std::span(values.begin(), values.size()));
  }
};

// The tables of one capability, as steps from one version to the next: step N takes version N to
// N + 1. A step holds any number of statements. Never change one that was released.
struct Step {
  std::string_view sqlite, postgres;
};
struct Schema {
  std::string_view name;  // "notes"
  std::span<const Step> steps;
};

class Database {
 public:
  virtual ~Database() = default;
  virtual Dialect dialect() const = 0;

  // One transaction that writes. When it returns without a refusal, all of it is durable; a refusal
  // of `work` undoes all of it. `work` runs on another thread, and again from its beginning if the
  // database asks for that (a serialization failure, a deadlock), so it sets its results afresh.
  // Writers of all processes take turns; who waits longer than 5 s gets store.unavailable.
  using Work = std::function<Result<void>(Connection&)>;
  virtual boost::asio::awaitable<Result<void>> write(Work work) = 0;
  // One snapshot; what it would write fails. Readers wait for nobody.
  virtual boost::asio::awaitable<Result<void>> read(Work work) = 0;

  // Somebody, perhaps another process, has committed something: a hint to look. Not called for what
  // was committed before. At most one, set before the first use; called on the loop.
  virtual void on_change(std::function<void()> react) = 0;

  // For people: "SQLite, /path" or "PostgreSQL, host/database", without secrets.
  virtual std::string where() const = 0;

  // A copy as of now, usable as a database of its own. Refused for PostgreSQL:
  // store.backup_elsewhere (pg_dump is the way), and where `file` is there already:
  // store.backup_exists {file}.
  virtual boost::asio::awaitable<Result<void>> backup(std::string file) = 0;
};

struct Settings {
  // "postgresql://..." or the absolute path of an SQLite file; its folder is made (0700), the file
  // is 0600.
  std::string at;
  std::vector<Schema> schemas;
  // Told on the loop what the owner should know although nothing was refused: store.remote {file},
  // store.damaged {reason}.
  std::function<void(const Refusal&)> remark;
};

// Opens nothing yet: the first use does, and brings the tables up to date in one transaction (for
// SQLite after a backup beside the file). From then on refusals also: store.newer {have, known},
// and nothing was touched.
std::shared_ptr<Database> open(os::Loop& loop, Settings settings);

}  // namespace helve::store
