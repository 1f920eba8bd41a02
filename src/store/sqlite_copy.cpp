#include "store/detail/sqlite_copy.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "base/ids.h"
#include "os/fd.h"
#include "os/files.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

std::unexpected<Refusal> failed(const std::string& file, std::string reason) {
  return refuse("store.backup_failed", {{"file", file}, {"reason", std::move(reason)}});
}

struct Closing {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Target = std::unique_ptr<sqlite3, Closing>;

// "" or what went wrong. The copy is made durable as a whole, afterwards.
std::string fill(SqliteConnection& from, const std::string& file, const std::string& vfs) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                      vfs.empty() ? nullptr : vfs.c_str());
  const Target target(opened);
  if (code != SQLITE_OK) return sqlite3_errstr(code);
  sqlite3_exec(opened, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nullptr, nullptr,
               nullptr);
  sqlite3_backup* copy = sqlite3_backup_init(opened, "main", from.raw(), "main");
  if (copy == nullptr) return sqlite3_errmsg(opened);
  sqlite3_backup_step(copy, -1);
  const int finished = sqlite3_backup_finish(copy);
  return finished == SQLITE_OK ? "" : sqlite3_errstr(finished);
}

int sync(const std::string& path, int flags) {
  const os::UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  return fd && ::fsync(fd.get()) == 0 ? 0 : errno;
}

// The errno of what failed.
int put_in_place(const std::string& temporary, const std::string& file) {
  if (const int error = sync(temporary, O_RDONLY); error != 0) return error;
  // A link instead of a rename, where the file system knows no RENAME_NOREPLACE.
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (::link(temporary.c_str(), file.c_str()) != 0) return errno;
    ::unlink(temporary.c_str());
  }
  return sync(std::filesystem::path(file).parent_path(), O_RDONLY | O_DIRECTORY);
}

}  // namespace

Result<void> copy_database(SqliteConnection& from, const std::string& file,
                           const std::string& vfs) {
  struct stat there{};
  if (::lstat(file.c_str(), &there) == 0) return refuse("store.backup_exists", {{"file", file}});
  const std::string temporary = file + "." + random_hex(4) + ".tmp";
  if (!os::UniqueFd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600))) {
    return failed(file, os::errno_text(errno));
  }
  const std::string trouble = fill(from, temporary, vfs);
  const int error = trouble.empty() ? put_in_place(temporary, file) : 0;
  if (trouble.empty() && error == 0) return {};
  ::unlink(temporary.c_str());
  if (error == EEXIST) return refuse("store.backup_exists", {{"file", file}});
  return failed(file, trouble.empty() ? os::errno_text(error) : trouble);
}

}  // namespace helve::store
