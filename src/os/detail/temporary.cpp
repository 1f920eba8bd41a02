#include "os/detail/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/ids.h"
#include "os/files.h"

namespace helve::os::detail {
namespace {

// Below this, a failed reservation saves nothing over the failed write that it foresees, and makes
// the file system write its facts twice.
constexpr std::size_t kLeastReserved = std::size_t{1024} * 1024;

mode_t read_umask() {
  // umask() would change it for all threads meanwhile.
  const UniqueFd fd(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const ssize_t got = fd ? ::read(fd.get(), buffer.data(), buffer.size()) : 0;
  const std::string_view facts(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  constexpr std::string_view kKey = "Umask:\t";
  const std::size_t at = facts.find(kKey);
  unsigned mask = 077;
  if (at != std::string_view::npos) {
    const std::string_view digits = facts.substr(at + kKey.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), mask, 8);
  }
  return mask;
}

}  // namespace

int Temporary::create(mode_t mode) {
  name_ = ".helve-" + random_hex(8) + ".tmp";
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  fd_ = UniqueFd(::openat(folder_, name_.c_str(), kFlags, mode));
  if (!fd_) {
    const int error = errno;
    name_.clear();
    return error;
  }
  // Where locks are not to be had, the age of the file has to protect it.
  ::flock(fd_.get(), LOCK_EX | LOCK_NB);
  return 0;
}

void Temporary::remove() {
  if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
  name_.clear();
  fd_.reset();
}

std::string proc_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

int reserve(int fd, std::size_t bytes, int mode) {
  if (bytes < kLeastReserved) return 0;
  while (::fallocate(fd, mode, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    const bool unable = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
    return unable ? 0 : errno;
  }
  return 0;
}

int write_pieces(int fd, std::span<const std::string_view> pieces) {
  constexpr std::size_t kMost = 64;
  while (!pieces.empty()) {
    std::array<iovec, kMost> parts{};
    const std::size_t count = std::min(kMost, pieces.size());
    for (std::size_t i = 0; i < count; ++i) {
      parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};  // only read
    }
    const std::size_t wanted = total_size(pieces.first(count));
    const ssize_t wrote = ::writev(fd, parts.data(), static_cast<int>(count));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    if (static_cast<std::size_t>(wrote) < wanted) {  // the rest of this batch, piece by piece
      auto done = static_cast<std::size_t>(wrote);
      for (const std::string_view piece : pieces.first(count)) {
        const std::size_t skipped = std::min(done, piece.size());
        done -= skipped;
        if (const int error = write_all(fd, piece.substr(skipped)); error != 0) return error;
      }
    }
    pieces = pieces.subspan(count);
  }
  return 0;
}

std::size_t total_size(std::span<const std::string_view> pieces) {
  std::size_t total = 0;
  for (const std::string_view piece : pieces) total += piece.size();
  return total;
}

mode_t mode_of_new_files() {
  static const mode_t kMode = 0666U & ~read_umask();
  return kMode;
}

}  // namespace helve::os::detail
