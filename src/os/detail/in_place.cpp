#include "os/detail/in_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/detail/temporary.h"
#include "os/files.h"

namespace helve::os::detail {
namespace {

std::unexpected<Refusal> refuse_errno(const Replacement& replacement, int error) {
  return std::unexpected(errno_refusal(error, replacement.shown));
}

UniqueFd open_target(const Replacement& replacement) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  UniqueFd fd(::openat(replacement.folder, replacement.name.c_str(), O_RDWR | kFlags));
  if (fd || errno != EACCES) return fd;
  return UniqueFd(::openat(replacement.folder, replacement.name.c_str(), O_WRONLY | kFlags));
}

// The old bytes that will be written over; fewer if they cannot be read.
std::string read_old(int fd, std::size_t bytes) {
  std::string old(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t got = ::pread(fd, old.data() + have, bytes - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  old.resize(have);
  return old;
}

// The whole new content on the file system of the target, before its first byte is touched.
// 0 too if it can lie nowhere but in the target.
int write_beside(const Replacement& replacement, const struct stat& target, Temporary& beside) {
  struct stat folder{};
  if (::fstat(replacement.folder, &folder) != 0 || folder.st_dev != target.st_dev) return 0;
  if (beside.create(0600) != 0) return 0;
  const std::size_t size = total_size(replacement.pieces);
  if (const int error = reserve(beside.fd(), size, 0); error != 0) return error;
  return write_pieces(beside.fd(), replacement.pieces);
}

int overwrite(int fd, const Replacement& replacement, std::size_t old_size) {
  const std::size_t size = total_size(replacement.pieces);
  if (::lseek(fd, 0, SEEK_SET) != 0) return errno;
  if (const int error = write_pieces(fd, replacement.pieces); error != 0) return error;
  const bool shorter = size < old_size;
  return shorter && ::ftruncate(fd, static_cast<off_t>(size)) != 0 ? errno : 0;
}

void put_back(int fd, const std::string& old, std::size_t old_size) {
  if (::lseek(fd, 0, SEEK_SET) != 0) return;
  if (write_all(fd, old) != 0) return;
  if (::ftruncate(fd, static_cast<off_t>(old_size)) != 0) return;
  ::fdatasync(fd);
}

}  // namespace

std::unexpected<Refusal> refuse_changed(const Replacement& replacement) {
  return refuse("file.changed_meanwhile",
                {{"path", errno_refusal(EIO, replacement.shown).args.front().second}});
}

Result<Replaced> write_in_place(const Replacement& replacement, const std::string& why) {
  const UniqueFd fd = open_target(replacement);
  if (!fd) return refuse_errno(replacement, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return refuse_errno(replacement, errno);
  if (!S_ISREG(status.st_mode)) return refuse_changed(replacement);
  Temporary beside(replacement.folder);
  int error = write_beside(replacement, status, beside);
  if (error != 0) return refuse_errno(replacement, error);
  const std::size_t size = total_size(replacement.pieces);
  const auto old_size = static_cast<std::size_t>(status.st_size);
  const std::string old = read_old(fd.get(), std::min(old_size, size));

  struct stat now{};
  if (::fstat(fd.get(), &now) != 0) return refuse_errno(replacement, errno);
  if (identity_of(now) != replacement.expected) return refuse_changed(replacement);
  // After the check, for it changes the file's times.
  error = reserve(fd.get(), size, FALLOC_FL_KEEP_SIZE);
  if (error != 0) return refuse_errno(replacement, error);

  error = overwrite(fd.get(), replacement, old_size);
  if (error == 0 && replacement.durable && ::fdatasync(fd.get()) != 0) error = errno;
  if (error != 0) {
    put_back(fd.get(), old, old_size);
    return refuse_errno(replacement, error);
  }
  if (::fstat(fd.get(), &now) != 0) return refuse_errno(replacement, errno);
  return Replaced{identity_of(now), why};
}

}  // namespace helve::os::detail
