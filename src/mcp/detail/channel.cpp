#include "mcp/detail/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>

namespace helve::mcp {
namespace {

// What poll() calls writable takes this much of a pipe without blocking.
constexpr size_t kPipeAtOnce = 4096;
constexpr int kFirstFree = 3;

bool is_ready(int fd, short events) {
  pollfd asked{fd, events, 0};
  return ::poll(&asked, 1, 0) > 0;
}

ssize_t would_block() {
  errno = EAGAIN;
  return -1;
}

os::UniqueFd duplicate(int fd) { return os::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree)); }

// Another open file of the same pipe or terminal, whose O_NONBLOCK is ours alone.
os::UniqueFd reopen(int fd, bool for_writing) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int access = for_writing ? O_WRONLY : O_RDONLY;
  os::UniqueFd opened(::open(path.c_str(), access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // Closed standard streams must not be filled by it.
  return opened && opened.get() < kFirstFree ? duplicate(opened.get()) : std::move(opened);
}

}  // namespace

Channel own_channel(int fd, bool for_writing) {
  struct stat facts{};
  if (::fstat(fd, &facts) != 0) return {};
  if (S_ISSOCK(facts.st_mode)) return {duplicate(fd), Channel::Way::kSocket};
  if (S_ISREG(facts.st_mode)) return {duplicate(fd), Channel::Way::kPlain};
  if (os::UniqueFd own = reopen(fd, for_writing)) return {std::move(own), Channel::Way::kPlain};
  return {duplicate(fd), Channel::Way::kAskedFirst};
}

Stdio take_stdio() {
  Stdio stdio{own_channel(STDIN_FILENO, false), own_channel(STDOUT_FILENO, true)};
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(null.get(), STDIN_FILENO);
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) ::dup2(null.get(), STDERR_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return stdio;
}

ssize_t read_some(int fd, Channel::Way way, std::span<char> space) {
  if (way == Channel::Way::kSocket) return ::recv(fd, space.data(), space.size(), MSG_DONTWAIT);
  if (way == Channel::Way::kAskedFirst && !is_ready(fd, POLLIN)) return would_block();
  return ::read(fd, space.data(), space.size());
}

ssize_t write_some(int fd, Channel::Way way, std::string_view bytes) {
  if (way == Channel::Way::kSocket) {
    return ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (way == Channel::Way::kAskedFirst) {
    if (!is_ready(fd, POLLOUT)) return would_block();
    bytes = bytes.substr(0, kPipeAtOnce);
  }
  return ::write(fd, bytes.data(), bytes.size());
}

bool hung_up(int fd) {
  pollfd asked{fd, POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

}  // namespace helve::mcp
