// process/detail/cgroup.h
//
// A cgroup (v2) for one tree, where the system lets us make one: whatever its processes do to hide,
// they stay in it, and one write ends them all. Making and removing a folder for each command would
// cost more than the command, so empty ones are used again. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/fd.h"
#include "process/detail/cgroup_limits.h"

namespace helve::process {

class Cgroup {
 public:
  Cgroup() = default;  // none
  Cgroup(std::string folder, os::UniqueFd fd, os::UniqueFd events);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  const std::string& folder() const { return folder_; }

  bool empty() const;  // nothing in it or below it lives
  std::vector<int> pids() const;
  bool kill();  // false: not possible here
  // Before something is started in it. One that is used again forgets its earlier limits.
  void limit(const CgroupLimits& limits);
  bool out_of_memory() const;  // since limit()
  bool spent() const { return spent_; }

 private:
  std::string folder_;
  os::UniqueFd fd_, events_;
  CgroupLimits limits_;
  std::uint64_t oom_kills_ = 0;  // before
  bool spent_ = false;  // killed once: some kernels (6.18) then kill what is cloned into it, too
};

// An empty cgroup, or none if there is no cgroup2 that we may write to.
Cgroup take_cgroup();
// Back, for the next command; if something still lives in it, once that is gone.
void give_back(Cgroup cgroup);
// false: no further ones in this process. For a kernel that refuses to start a child in one.
void use_cgroups(bool use);

// Where below /sys a process with these two tables may make cgroups: pure, for the tests.
std::optional<std::string> own_cgroup_folder(std::string_view mountinfo, std::string_view cgroup);

// The folder that holds all of ours, "" if none was made. For the warden.
std::string cgroups_folder();
bool remove_cgroups(const std::string& folder);  // false: something still lives in it

}  // namespace helve::process
