#include "store/detail/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/texts.h"
#include "os/fd.h"
#include "os/files.h"
#include "store/detail/refusals.h"
#include "store/detail/sqlite_copy.h"

namespace helve::store {
namespace {

std::string folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

// 0 also if there is none.
off_t size_of(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 ? status.st_size : 0;
}

bool is_denied(int error) { return error == EROFS || error == EACCES || error == EPERM; }

std::unexpected<Refusal> refusal_of_errno(int error) {
  if (is_denied(error)) return refuse("store.read_only", {{"reason", os::errno_text(error)}});
  if (error == ENOSPC || error == EDQUOT) {
    return refuse("store.full", {{"reason", os::errno_text(error)}});
  }
  return unavailable(os::errno_text(error));
}

}  // namespace

SqliteFile::SqliteFile(Settings settings, SqliteOptions options, Events events)
    : settings_(std::move(settings)), options_(std::move(options)), events_(std::move(events)) {}

Result<void> SqliteFile::prepare(Clock::time_point latest, const std::stop_token& stop) {
  const std::lock_guard hold(mutex_);
  if (prepared_) return {};
  if (auto done = prepare_folder(); !done) return done;
  if (!no_writes_ && !entered_) {
    if (auto done = enter(latest, stop); !done) return done;
  }
  const Result<Age> age = look();
  if (!age) return std::unexpected(age.error());
  if (*age != Age::kCurrent) {
    if (no_writes_) return std::unexpected(*no_writes_);
    if (auto done = bring_up_to_date(latest, stop); !done) return done;
  }
  prepared_ = true;
  return {};
}

// Where no lock file can be made, nothing can be written either.
Result<void> SqliteFile::prepare_folder() {
  if (entered_) return {};
  const std::string folder = folder_of(settings_.at);
  if (::access(folder.c_str(), F_OK) != 0) {
    const auto made = os::make_private_folder(folder);
    if (const int error = errno; !made) return refusal_of_errno(error);
  }
  auto lock = FileLock::open(settings_.at + ".lock");
  no_writes_.reset();
  if (lock) {
    lock_ = *std::move(lock);
    return {};
  }
  if (!is_denied(lock.error()) || size_of(settings_.at) == 0) return refusal_of_errno(lock.error());
  no_writes_ = refusal_of_errno(lock.error()).error();
  return {};
}

Result<void> SqliteFile::enter(Clock::time_point latest, const std::stop_token& stop) {
  remote_ = options_.remote(folder_of(settings_.at));
  bool alone = true;
  if (!remote_) {
    alone = lock_.enter();
  } else if (!lock_.enter_alone(latest, stop)) {
    return unavailable(helve::text("store.held"));
  }
  entered_ = true;
  if (remote_) events_.remark(refuse("store.remote", {{"file", settings_.at}}).error());
  // Who ends in good order leaves both empty.
  const bool left = size_of(settings_.at + "-wal") > 0 || size_of(settings_.at + "-journal") > 0;
  if (alone && left) events_.unclean();
  return {};
}

// Tries to read without the right to write first: a file that is not ours stays as it is.
Result<Age> SqliteFile::look() {
  if (size_of(settings_.at) == 0) return Age::kEmpty;
  int code = 0;
  Result<Age> age = look_with(Access::kReadOnly, code);
  const bool may_help = (code & 0xFF) == SQLITE_READONLY || (code & 0xFF) == SQLITE_CANTOPEN;
  if (!no_writes_) return !age && may_help ? look_with(Access::kRead, code) : age;
  read_access_ = Access::kReadOnly;
  // Without a log there is nothing that an immutable file could lack.
  if (!age && may_help && size_of(settings_.at + "-wal") == 0) {
    read_access_ = Access::kImmutable;
    return look_with(Access::kImmutable, code);
  }
  return age;
}

Result<Age> SqliteFile::look_with(Access access, int& code) {
  const auto connection = SqliteConnection::open(settings_.at, access, options_.vfs, &code);
  if (!connection) return std::unexpected(connection.error());
  Result<Age> age = age_of(**connection, settings_.schemas);
  code = age ? 0 : (*connection)->last_code();
  if (!age || *age != Age::kEmpty) return age;
  const auto tables = (*connection)->run("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (integer(tables->rows.at(0).at(0)) == 0) return age;
  return refuse("store.foreign", {{"file", settings_.at}});
}

Result<void> SqliteFile::bring_up_to_date(Clock::time_point latest, const std::stop_token& stop) {
  if (!lock_.take_turn(latest, stop)) return unavailable(helve::text("store.busy"));
  Result<void> done = bring_up_to_date_in_turn();
  lock_.end_turn();
  return done;
}

// Somebody else may have done it meanwhile.
Result<void> SqliteFile::bring_up_to_date_in_turn() {
  const Result<Age> age = look();
  if (!age) return std::unexpected(age.error());
  if (*age == Age::kCurrent) return {};
  if (*age == Age::kEmpty) {
    if (auto made = make_file(); !made) return made;
    return take_steps();
  }
  const Result<std::string> before = back_up_before();
  if (!before) return std::unexpected(before.error());
  Result<void> done = take_steps();
  if (!done) ::unlink(before->c_str());  // all is as it was
  return done;
}

// By ourselves, since SQLite would let others read it.
Result<void> SqliteFile::make_file() {
  const os::UniqueFd made(
      ::open(settings_.at.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made) {
    if (errno == EEXIST) return {};
    return refusal_of_errno(errno);
  }
  const os::UniqueFd folder(
      ::open(folder_of(settings_.at).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) return refusal_of_errno(errno);
  return {};
}

Result<std::string> SqliteFile::back_up_before() {
  const auto connection = SqliteConnection::open(settings_.at, Access::kRead, options_.vfs);
  if (!connection) return std::unexpected(connection.error());
  const std::string name = settings_.at + ".before-" HELVE_VERSION;
  std::string file = name;
  for (int number = 2; ::access(file.c_str(), F_OK) == 0; ++number) {
    file = name + "-" + std::to_string(number);
  }
  auto done = copy_database(**connection, file, options_.vfs);
  if (!done) return std::unexpected(done.error());
  return file;
}

Result<void> SqliteFile::take_steps() {
  const auto connection = open_connection(Access::kWrite);
  if (!connection) return std::unexpected(connection.error());
  SqliteConnection& db = **connection;
  if (auto begun = db.script("BEGIN IMMEDIATE"); !begun) return begun;
  const auto script = [&](std::string_view statements) { return db.script(statements); };
  if (auto done = migrate(db, settings_.schemas, script); !done) return done;
  return db.script("COMMIT");
}

Result<std::unique_ptr<SqliteConnection>> SqliteFile::open_connection(Access access) const {
  auto made = SqliteConnection::open(settings_.at, access, options_.vfs);
  if (!made || access != Access::kWrite) return made;
  if (!(*made)->can_write()) {
    return refuse("store.read_only", {{"reason", os::errno_text(EACCES)}});
  }
  const auto mode =
      (*made)->run(remote_ ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  if (!mode) return std::unexpected(mode.error());
  return made;
}

Result<std::unique_ptr<SqliteConnection>> SqliteFile::open_writer() {
  if (auto may = writable(); !may) return std::unexpected(may.error());
  return open_connection(Access::kWrite);
}

Result<std::unique_ptr<SqliteConnection>> SqliteFile::open_reader() {
  Access access;
  {
    const std::lock_guard hold(mutex_);
    access = read_access_;
  }
  return open_connection(access);
}

Result<void> SqliteFile::writable() const {
  const std::lock_guard hold(mutex_);
  if (no_writes_) return std::unexpected(*no_writes_);
  return {};
}

void SqliteFile::set_damaged(const Refusal& found) {
  {
    const std::lock_guard hold(mutex_);
    if (no_writes_) return;
    no_writes_ = found;
    read_access_ = Access::kReadOnly;
  }
  events_.remark(found);
}

}  // namespace helve::store
