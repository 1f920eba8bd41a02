// The memory of results that went: a file of their names beside them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/files.h"
#include "workspace/detail/results_folder.h"

namespace helve::workspace {
namespace {

constexpr const char* kRemoved = ".removed";
constexpr off_t kMostBytes = 1 << 20;  // about 15,000 names; then the older half is forgotten
constexpr int kOpen = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// From `offset` on, at most kMostBytes; "" if it is no file.
std::string read_names(int fd, off_t offset) {
  struct stat facts{};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  std::string bytes(static_cast<std::size_t>(kMostBytes), '\0');
  std::size_t size = 0;
  for (;;) {
    const ssize_t got =
        ::pread(fd, bytes.data() + size, bytes.size() - size, offset + static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void forget_half(int folder, int fd, off_t size) {
  const std::string half = read_names(fd, size - kMostBytes / 2);
  const std::string_view names = std::string_view(half).substr(half.find('\n') + 1);
  put_file(folder, kRemoved, {{names}});
}

// What cannot be remembered is "not there" later instead of "was there": worth no refusal.
void remember(int folder, const std::string& names) {
  const os::UniqueFd fd(::openat(folder, kRemoved, O_RDWR | O_APPEND | O_CREAT | kOpen, 0600));
  if (!fd) return;
  os::write_all(fd.get(), names);
  struct stat facts{};
  if (::fstat(fd.get(), &facts) == 0 && facts.st_size > kMostBytes) {
    forget_half(folder, fd.get(), facts.st_size);
  }
}

}  // namespace

void remove_results(int folder, const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files) {
    if (::unlinkat(folder, file.c_str(), 0) == 0) names += file + '\n';
  }
  if (!names.empty()) remember(folder, names);
}

bool was_removed(int folder, std::string_view file) {
  if (::faccessat(folder, std::string(file).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return false;
  const os::UniqueFd fd(::openat(folder, kRemoved, O_RDONLY | kOpen));
  if (!fd) return false;
  const std::string names = '\n' + read_names(fd.get(), 0);
  return names.contains('\n' + std::string(file) + '\n');
}

}  // namespace helve::workspace
