#include "store/detail/sqlite_connection.h"

#include <sqlite3.h>

#include <charconv>

#include "base/check.h"
#include "store/detail/sqlite_errors.h"

namespace helve::store {
namespace {

constexpr std::size_t kMostStatements = 200;
constexpr Duration kPatience = std::chrono::seconds(5);

// wal_autocheckpoint is off, since SQLite 3.40 can lose a commit when one connection resets the log
// while another checkpoints: here all of that happens in turns (detail/file_lock.h).
constexpr std::string_view kEach =
    "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
    "PRAGMA wal_autocheckpoint = 0;";
constexpr std::string_view kWriter = "PRAGMA synchronous = FULL; PRAGMA cache_size = -2000;";
constexpr std::string_view kReader = "PRAGMA query_only = ON; PRAGMA cache_size = -1000;";

int flags_of(Access access) {
  constexpr int kAll = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const bool writes = access == Access::kWrite || access == Access::kRead;
  return kAll | (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
}

// A file name that says nothing but the file, whatever characters are in it.
std::string uri_of(const std::string& file, Access access) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte / 16], kHex[byte % 16]};
    } else {
      uri += c;
    }
  }
  return access == Access::kImmutable ? uri + "?immutable=1" : uri;
}

int bind(sqlite3_stmt* statement, int at, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return sqlite3_bind_int64(statement, at, *whole);
  }
  if (const auto* fraction = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, at, *fraction);
  }
  if (const auto* held = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text64(statement, at, held->data(), held->size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }
  return sqlite3_bind_null(statement, at);
}

Value column(sqlite3_stmt* statement, int at) {
  switch (sqlite3_column_type(statement, at)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, at)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, at);
    default: {
      const void* bytes = sqlite3_column_blob(statement, at);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, at));
      return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
  }
}

Row row_of(sqlite3_stmt* statement) {
  const int columns = sqlite3_column_count(statement);
  Row row;
  row.reserve(static_cast<std::size_t>(columns));
  for (int at = 0; at < columns; ++at) row.push_back(column(statement, at));
  return row;
}

// "$12" takes the value 12. SQLite itself counts places in the order of their first appearance.
std::vector<std::size_t> places_of(sqlite3_stmt* statement) {
  std::vector<std::size_t> places;
  const int count = sqlite3_bind_parameter_count(statement);
  for (int at = 1; at <= count; ++at) {
    const std::string_view name = sqlite3_bind_parameter_name(statement, at);
    std::size_t place = 0;
    std::from_chars(name.data() + 1, name.data() + name.size(), place);
    HELVE_CHECK(name.front() == '$' && place > 0);
    places.push_back(place);
  }
  return places;
}

}  // namespace

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string& file,
                                                                 Access access,
                                                                 const std::string& vfs,
                                                                 int* code) {
  std::unique_ptr<SqliteConnection> made(new SqliteConnection);
  const int opened = sqlite3_open_v2(uri_of(file, access).c_str(), &made->db_, flags_of(access),
                                     vfs.empty() ? nullptr : vfs.c_str());
  const Result<void> done = opened == SQLITE_OK ? made->set_up(access) : made->refusal();
  if (done) return made;
  if (code != nullptr) *code = made->last_code_;
  return std::unexpected(done.error());
}

SqliteConnection::~SqliteConnection() {
  forget_statements();
  sqlite3_close(db_);
}

Result<void> SqliteConnection::set_up(Access access) {
  be_patient(kPatience);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (auto done = script(kEach); !done) return done;
  if (auto done = script(access == Access::kWrite ? kWriter : kReader); !done) return done;
  sqlite3_wal_hook(
      db_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<SqliteConnection*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  return {};
}

Result<Rows> SqliteConnection::run(std::string_view sql, std::span<const Value> values) {
  const Result<Statement*> found = statement(sql);
  if (!found) return std::unexpected(found.error());
  const auto& [compiled, places] = **found;
  for (std::size_t at = 0; at < places.size(); ++at) {
    HELVE_CHECK(places[at] <= values.size());
    if (bind(compiled, static_cast<int>(at + 1), values[places[at] - 1]) != SQLITE_OK) {
      return refusal();
    }
  }
  Rows rows;
  int code = SQLITE_OK;
  while ((code = sqlite3_step(compiled)) == SQLITE_ROW) rows.rows.push_back(row_of(compiled));
  if (code == SQLITE_DONE && sqlite3_stmt_readonly(compiled) == 0) {
    rows.changed = sqlite3_changes64(db_);
  }
  Result<Rows> answer = code == SQLITE_DONE ? Result<Rows>(std::move(rows)) : refusal();
  sqlite3_reset(compiled);
  sqlite3_clear_bindings(compiled);  // they point into `values`
  return answer;
}

Result<void> SqliteConnection::script(std::string_view statements) {
  const std::string all(statements);
  if (sqlite3_exec(db_, all.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return refusal();
  return {};
}

Result<SqliteConnection::Statement*> SqliteConnection::statement(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return &found->second;
  if (statements_.size() >= kMostStatements) forget_statements();
  Statement made;
  const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made.compiled, nullptr);
  if (code != SQLITE_OK) return refusal();
  made.places = places_of(made.compiled);
  return &statements_.emplace(sql, std::move(made)).first->second;
}

void SqliteConnection::forget_statements() {
  for (auto& [sql, each] : statements_) sqlite3_finalize(each.compiled);
  statements_.clear();
}

// Of the last call.
std::unexpected<Refusal> SqliteConnection::refusal() {
  last_code_ = sqlite3_extended_errcode(db_);
  over_ = over_ || ends_connection(last_code_);
  Refusal refusal = refusal_of({.code = last_code_,
                                .system_error = sqlite3_system_errno(db_),
                                .message = sqlite3_errmsg(db_)});
  if (is_damage(last_code_)) damage_ = refusal;
  return std::unexpected(std::move(refusal));
}

bool SqliteConnection::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

bool SqliteConnection::can_write() const { return sqlite3_db_readonly(db_, "main") == 0; }

bool SqliteConnection::is_where_it_was() const {
  int moved = 0;
  sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved == 0;
}

void SqliteConnection::be_patient(Duration patience) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  sqlite3_busy_timeout(db_, ms > 0 ? static_cast<int>(ms) : 0);
}

bool SqliteConnection::checkpoint(bool truncate) {
  be_patient({});
  int log = 0;
  int moved = 0;
  const int code = sqlite3_wal_checkpoint_v2(
      db_, "main", truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &log, &moved);
  if (code != SQLITE_OK && code != SQLITE_BUSY) refusal();  // remembered, if it is serious
  be_patient(kPatience);
  if (code == SQLITE_OK && truncate) log_pages_ = 0;
  return code == SQLITE_OK && log == moved;
}

void SqliteConnection::tidy_on_close() {
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void SqliteConnection::release_memory() { sqlite3_db_release_memory(db_); }

void SqliteConnection::interrupt() { sqlite3_interrupt(db_); }

}  // namespace helve::store
