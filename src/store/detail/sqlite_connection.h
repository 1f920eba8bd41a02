// store/detail/sqlite_connection.h
//
// One connection to an SQLite file, with its prepared statements. When transactions begin and end
// is for its owner to say. One thread at a time; interrupt() from any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/database.h"

struct sqlite3;
struct sqlite3_stmt;

namespace helve::store {

enum class Access : std::uint8_t {
  kWrite,
  kRead,       // may recover what a crash left, and changes nothing else
  kReadOnly,   // opened so; cannot recover
  kImmutable,  // does not even look for a log or for locks: where nobody can write
};

class SqliteConnection : public Connection {
 public:
  using Connection::run;

  // `code`: where to put the code of a refusal, if that is wanted.
  static Result<std::unique_ptr<SqliteConnection>> open(const std::string& file, Access access,
                                                        const std::string& vfs,
                                                        int* code = nullptr);
  ~SqliteConnection() override;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  Dialect dialect() const override { return Dialect::kSqlite; }
  Result<Rows> run(std::string_view sql, std::span<const Value> values) override;
  Result<void> script(std::string_view statements);  // any number of them; not kept

  bool in_transaction() const;
  bool can_write() const;                       // the file system lets it
  bool is_where_it_was() const;                 // neither moved nor deleted since it was opened
  int last_code() const { return last_code_; }  // of the last refusal; extended
  bool is_over() const { return over_; }        // something made it unfit to be used further
  void give_up() { over_ = true; }
  // If that is what it ran into: store.damaged.
  const std::optional<Refusal>& damage() const { return damage_; }
  // How long a statement waits for what another connection holds.
  void be_patient(Duration patience);
  // Moves what it can from the log into the database and does not wait; true: all of it. With
  // `truncate` the log is empty then.
  bool checkpoint(bool truncate);
  int log_pages() const { return log_pages_; }  // in the log, at the last commit
  // The last one to close empties the log and removes it. In turn.
  void tidy_on_close();
  void release_memory();
  void interrupt();

  sqlite3* raw() { return db_; }

 private:
  struct Statement {
    sqlite3_stmt* compiled = nullptr;
    std::vector<std::size_t> places;  // of each parameter, the value that it takes
  };

  SqliteConnection() = default;
  Result<void> set_up(Access access);
  Result<Statement*> statement(std::string_view sql);
  void forget_statements();
  std::unexpected<Refusal> refusal();

  sqlite3* db_ = nullptr;
  std::map<std::string, Statement, std::less<>> statements_;
  int last_code_ = 0;
  int log_pages_ = 0;
  bool over_ = false;
  std::optional<Refusal> damage_;
};

}  // namespace helve::store
