#include "process/detail/cgroup_limits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "os/fd.h"
#include "process/detail/procfs.h"

namespace helve::process {
namespace {

constexpr std::string_view kUsualWeight = "100", kOurWeight = "50";

int write_into(int folder, const char* file, std::string_view value) {
  const os::UniqueFd fd(::openat(folder, file, O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), value.data(), value.size()) < 0 ? errno : 0;
}

std::string word_of(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "max";
}

bool only_we_are_in(int folder) {
  const std::vector<int> pids = parse_pids(read_small_at(folder, "cgroup.procs"));
  return pids.size() == 1 && pids.front() == ::getpid();
}

bool move_to(const std::string& beside) {
  if (::mkdir(beside.c_str(), 0755) != 0 && errno != EEXIST) return false;
  const os::UniqueFd folder(::open(beside.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && write_into(folder.get(), "cgroup.procs", "0") == 0;
}

}  // namespace

void write_limits(int folder, const CgroupLimits& limits) {
  write_into(folder, "memory.max", word_of(limits.memory_bytes));
  write_into(folder, "memory.swap.max", limits.memory_bytes ? "0" : "max");
  write_into(folder, "memory.oom.group", limits.memory_bytes ? "1" : "0");
  write_into(folder, "pids.max", word_of(limits.processes));
  write_into(folder, "cpu.weight", limits.any() ? kOurWeight : kUsualWeight);
}

std::uint64_t oom_kills(int folder) {
  const std::string events = read_small_at(folder, "memory.events");
  for (const std::string_view line : split(events, '\n')) {
    constexpr std::string_view kName = "oom_kill ";
    if (!line.starts_with(kName)) continue;
    std::uint64_t count = 0;
    std::from_chars(line.data() + kName.size(), line.data() + line.size(), count);
    return count;
  }
  return 0;
}

void hand_down_controllers(const std::string& above, const std::string& beside) {
  const os::UniqueFd folder(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return;
  for (const char* name : {"+memory", "+pids", "+cpu"}) {
    const int error = write_into(folder.get(), "cgroup.subtree_control", name);
    if (error != EBUSY || !only_we_are_in(folder.get()) || !move_to(beside)) continue;
    write_into(folder.get(), "cgroup.subtree_control", name);
  }
}

}  // namespace helve::process
