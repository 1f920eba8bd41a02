#include "os/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/ids.h"
#include "base/time.h"

namespace helve::os {
namespace {

std::unexpected<Refusal> refuse_read(const std::filesystem::path& file, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    return refuse("file.not_found", {{"path", file.string()}, {"missing", ""}, {"near", ""}});
  }
  return refuse("file.unreadable", {{"file", file.string()}, {"reason", errno_text(error)}});
}

std::unexpected<Refusal> refuse_write(const std::filesystem::path& file, int error) {
  return refuse("file.unwritable", {{"file", file.string()}, {"reason", errno_text(error)}});
}

}  // namespace

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return 0;
}

std::string errno_text(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof buffer);
}

Result<std::string> read_file(const std::filesystem::path& file, std::uint64_t limit) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return refuse_read(file, errno);
  struct stat facts{};
  if (::fstat(fd.get(), &facts) != 0) return refuse_read(file, errno);
  if (!S_ISREG(facts.st_mode)) return refuse("file.not_regular", {{"file", file.string()}});
  std::string bytes;
  std::string chunk(64 * 1024, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse_read(file, errno);
    if (got == 0) return bytes;
    bytes.append(chunk, 0, static_cast<size_t>(got));
    if (bytes.size() > limit) {
      return refuse("file.too_large", {{"path", file.string()}, {"limit", bytes_text(limit)}});
    }
  }
}

Result<void> write_atomic(const std::filesystem::path& file, std::string_view bytes,
                          unsigned mode) {
  const std::filesystem::path temporary =
      file.parent_path() / ("." + file.filename().string() + "." + random_hex(6));
  const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return refuse_write(file, errno);
  int error = write_all(fd.get(), bytes);
  if (error == 0 && ::fsync(fd.get()) != 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return refuse_write(file, error);
}

Result<void> append_to(const std::filesystem::path& file, std::string_view bytes) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
  if (!fd) return refuse_write(file, errno);
  const int error = write_all(fd.get(), bytes);
  if (error != 0) return refuse_write(file, error);
  return {};
}

Result<void> make_private_folder(const std::filesystem::path& folder) {
  std::filesystem::path at;
  for (const auto& part : folder) {
    at /= part;
    if (::mkdir(at.c_str(), 0700) != 0 && errno != EEXIST) return refuse_write(at, errno);
  }
  struct stat facts{};
  if (::stat(folder.c_str(), &facts) != 0) return refuse_write(folder, errno);
  if (!S_ISDIR(facts.st_mode)) return refuse_write(folder, ENOTDIR);
  return {};
}

}  // namespace helve::os
