// process/detail/cgroup_limits.h
//
// What a cgroup's controllers hold a tree to, as files of its folder. A controller that is not
// there has no file, and its limit no effect. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace helve::process {

struct CgroupLimits {
  std::optional<std::uint64_t> memory_bytes, processes;
  bool any() const { return memory_bytes || processes; }
  bool operator==(const CgroupLimits&) const = default;
};

// Sets all of them, also back to "max": a cgroup is used again.
void write_limits(int folder, const CgroupLimits& limits);

// How often the kernel has ended something in it for want of memory; 0 without that controller.
std::uint64_t oom_kills(int folder);

// Hands memory, pids and cpu down from `above` to the cgroups below it, as far as it has them. A
// cgroup that holds processes cannot: if only this process is in it, it moves to one beside.
void hand_down_controllers(const std::string& above, const std::string& beside);

}  // namespace helve::process
