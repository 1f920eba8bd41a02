// store/detail/sqlite_file.h
//
// The file of a database, with those beside it: made, looked at, brought up to date once, and what
// is known about it since: that it can only be read, that it is damaged. Never replaced, and never
// touched where it is newer than this program or another program's. Blocking; any thread, except
// that the lock is the writer's once prepare() has succeeded.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/time.h"
#include "store/detail/file_lock.h"
#include "store/detail/migrate.h"
#include "store/detail/sqlite.h"
#include "store/detail/sqlite_connection.h"

namespace helve::store {

class SqliteFile {
 public:
  struct Events {                                // called on the thread that finds out
    std::function<void(const Refusal&)> remark;  // store.remote, store.damaged
    std::function<void()> unclean;               // whoever used it last did not close it
  };

  SqliteFile(Settings settings, SqliteOptions options, Events events);

  // The first time, and after a refusal: all that comes before a connection.
  Result<void> prepare(Clock::time_point latest, const std::stop_token& stop);

  // After prepare(). The writer only in its turn. Refused also: store.read_only and store.damaged,
  // where that is known.
  Result<std::unique_ptr<SqliteConnection>> open_writer();
  Result<std::unique_ptr<SqliteConnection>> open_reader();
  Result<void> writable() const;

  // From now on it is only read. Remarked once.
  void set_damaged(const Refusal& found);

  FileLock& lock() { return lock_; }
  const std::string& path() const { return settings_.at; }
  const SqliteOptions& options() const { return options_; }

 private:
  Result<void> prepare_folder();
  Result<void> enter(Clock::time_point latest, const std::stop_token& stop);
  Result<Age> look();
  Result<Age> look_with(Access access, int& code);
  Result<void> bring_up_to_date(Clock::time_point latest, const std::stop_token& stop);
  Result<void> bring_up_to_date_in_turn();
  Result<void> make_file();
  Result<std::string> back_up_before();
  Result<void> take_steps();
  Result<std::unique_ptr<SqliteConnection>> open_connection(Access access) const;

  const Settings settings_;
  const SqliteOptions options_;
  const Events events_;
  FileLock lock_;
  mutable std::mutex mutex_;  // what follows
  bool prepared_ = false, entered_ = false, remote_ = false;
  Access read_access_ = Access::kRead;
  std::optional<Refusal> no_writes_;
};

}  // namespace helve::store
