// os/disk.h
//
// How much room there is on the disk that something lies on, or would. Blocking, for a moment; any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace helve::os {

struct DiskSpace {
  std::uint64_t free = 0, all = 0;  // bytes; what is kept for root is not free
  bool read_only = false;

  // Some file systems hold no bytes at all, or do not say how many.
  bool can_be_filled() const { return !read_only && all > 0; }
};

// Of the nearest folder above `path` that is there, if it is not. nullopt: the system does not say.
std::optional<DiskSpace> disk_space(const std::filesystem::path& path);

}  // namespace helve::os
