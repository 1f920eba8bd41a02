#include "os/replace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "os/detail/in_place.h"
#include "os/detail/temporary.h"
#include "os/fd.h"
#include "os/files.h"

namespace helve::os {
namespace {

constexpr std::uint64_t kAttributeMountRoot = 0x2000;  // STATX_ATTR_MOUNT_ROOT, Linux 5.8

std::int64_t nanoseconds(const timespec& at) {
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

std::unexpected<Refusal> refuse_errno(const Replacement& replacement, int error) {
  return std::unexpected(errno_refusal(error, replacement.shown));
}

// What is at the name now. 0, ENOENT or another errno.
int look(const Replacement& replacement, struct stat& status) {
  const char* name = replacement.name.c_str();
  return ::fstatat(replacement.folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

bool as_expected(const Replacement& replacement) {
  struct stat status{};
  const int error = look(replacement, status);
  if (error != 0) return error == ENOENT && !replacement.expected;
  return replacement.expected == identity_of(status);
}

bool is_mount_point(const Replacement& replacement) {
  struct statx facts{};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (::statx(replacement.folder, replacement.name.c_str(), flags, 0, &facts) != 0) return false;
  return (facts.stx_attributes & kAttributeMountRoot) != 0;
}

// A folder that gives its new files an ACL decides their mode, too.
int create_new(detail::Temporary& temporary) {
  if (const int error = temporary.create(0600); error != 0) return error;
  if (::fgetxattr(temporary.fd(), "system.posix_acl_access", nullptr, 0) <= 0) {
    return ::fchmod(temporary.fd(), detail::mode_of_new_files()) == 0 ? 0 : errno;
  }
  temporary.remove();
  return temporary.create(0666);
}

int fill(const Replacement& replacement, const detail::Temporary& temporary) {
  const std::size_t size = detail::total_size(replacement.pieces);
  if (const int error = detail::reserve(temporary.fd(), size, 0); error != 0) return error;
  return detail::write_pieces(temporary.fd(), replacement.pieces);
}

int rename_over(const Replacement& replacement, const detail::Temporary& temporary) {
  const char* from = temporary.name().c_str();
  const char* to = replacement.name.c_str();
  if (!replacement.expected) {
    if (::renameat2(replacement.folder, from, replacement.folder, to, RENAME_NOREPLACE) == 0) {
      return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (!as_expected(replacement)) return EEXIST;
  }
  return ::renameat(replacement.folder, from, replacement.folder, to) == 0 ? 0 : errno;
}

int sync_folder(const Replacement& replacement, int file) {
  const UniqueFd folder(::openat(replacement.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written but not read cannot be opened for this.
  const int done = folder ? ::fsync(folder.get()) : ::syncfs(file);
  return done == 0 || errno == EINVAL ? 0 : errno;
}

// The new bytes lie beside the file and are like it but for the name.
Result<Replaced> put_in_place(const Replacement& replacement, detail::Temporary& temporary) {
  if (replacement.durable && ::fdatasync(temporary.fd()) != 0) {
    return refuse_errno(replacement, errno);
  }
  if (!as_expected(replacement)) return detail::refuse_changed(replacement);
  const int error = rename_over(replacement, temporary);
  if (error == EEXIST) return detail::refuse_changed(replacement);
  const bool forbidden = error == EBUSY || error == EPERM || error == EACCES;
  if (forbidden && replacement.expected) {
    temporary.remove();
    return detail::write_in_place(replacement, error == EBUSY ? "mount_point" : "folder");
  }
  if (error != 0) return refuse_errno(replacement, error);
  temporary.renamed();
  struct stat now{};
  if (::fstat(temporary.fd(), &now) != 0) return refuse_errno(replacement, errno);
  if (replacement.durable) {
    const int unsynced = sync_folder(replacement, temporary.fd());
    if (unsynced != 0) return refuse_errno(replacement, unsynced);
  }
  return Replaced{identity_of(now), ""};
}

Result<Replaced> create_file(const Replacement& replacement) {
  detail::Temporary temporary(replacement.folder);
  int error = create_new(temporary);
  if (error == ENOENT) return detail::refuse_changed(replacement);  // its folder has gone
  if (error == 0) error = fill(replacement, temporary);
  if (error != 0) return refuse_errno(replacement, error);
  return put_in_place(replacement, temporary);
}

Result<Replaced> replace_existing(const Replacement& replacement, const struct stat& old) {
  const int folder = replacement.folder;
  const char* name = replacement.name.c_str();
  if (::faccessat(folder, name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0) {
    return refuse_errno(replacement, errno);  // a rename would not ask
  }
  if (old.st_nlink > 1) return detail::write_in_place(replacement, "hard_links");
  if (is_mount_point(replacement)) return detail::write_in_place(replacement, "mount_point");
  detail::Temporary temporary(folder);
  int error = temporary.create(0600);
  if (error == EACCES || error == EPERM || error == EROFS) {
    return detail::write_in_place(replacement, "folder");
  }
  if (error == 0) error = fill(replacement, temporary);
  if (error != 0) return refuse_errno(replacement, error);
  UniqueFd was(::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!was) return detail::refuse_changed(replacement);
  const std::string lost = detail::copy_attributes(was.get(), old, temporary.fd());
  was.reset();  // the last to close a file that was replaced waits for its bytes to be dropped
  if (lost.empty()) return put_in_place(replacement, temporary);
  temporary.remove();
  return detail::write_in_place(replacement, lost);
}

bool is_temporary_name(std::string_view name) {
  constexpr std::string_view kBefore = ".helve-", kAfter = ".tmp";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return false;
  if (name.size() != kBefore.size() + 16 + kAfter.size()) return false;
  return name.substr(kBefore.size(), 16).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

void remove_if_stale(int folder, const char* name) {
  constexpr std::time_t kAge = 60;
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  struct stat status{};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_mtime > std::time(nullptr) - kAge) return;
  const UniqueFd fd(::openat(folder, name, kFlags));
  const bool at_work = fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!at_work) ::unlinkat(folder, name, 0);
}

}  // namespace

Identity identity_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .mtime_ns = nanoseconds(status.st_mtim),
          .ctime_ns = nanoseconds(status.st_ctim)};
}

Result<Replaced> replace_file(const Replacement& replacement) {
  struct stat old{};
  const int error = look(replacement, old);
  if (error != 0 && error != ENOENT) return refuse_errno(replacement, error);
  const bool there = error == 0;
  if (there != replacement.expected.has_value()) return detail::refuse_changed(replacement);
  if (!there) return create_file(replacement);
  // Before anything is written: what is read-only or has other links shows itself here.
  if (identity_of(old) != replacement.expected) return detail::refuse_changed(replacement);
  return replace_existing(replacement, old);
}

void prepare_replacing() { detail::mode_of_new_files(); }

void remove_stale_temporaries(int folder) {
  UniqueFd fd(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return;
  DIR* entries = ::fdopendir(fd.get());
  if (entries == nullptr) return;
  fd.release();
  while (const dirent* entry = ::readdir(entries)) {
    const char* name = static_cast<const char*>(entry->d_name);
    if (is_temporary_name(name)) remove_if_stale(folder, name);
  }
  ::closedir(entries);
}

}  // namespace helve::os
