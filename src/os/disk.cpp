#include "os/disk.h"

#include <sys/statvfs.h>

#include <cerrno>

namespace helve::os {

std::optional<DiskSpace> disk_space(const std::filesystem::path& path) {
  struct statvfs found{};
  std::filesystem::path there = path;
  while (::statvfs(there.c_str(), &found) != 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    if (!missing || there == "." || !there.has_relative_path()) return std::nullopt;
    there = there.parent_path();
    if (there.empty()) there = ".";
  }
  return DiskSpace{.free = std::uint64_t{found.f_bavail} * found.f_frsize,
                   .all = std::uint64_t{found.f_blocks} * found.f_frsize,
                   .read_only = (found.f_flag & ST_RDONLY) != 0};
}

}  // namespace helve::os
