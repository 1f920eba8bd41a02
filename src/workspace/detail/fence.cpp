#include "workspace/detail/fence.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace helve::workspace::detail {
namespace {

// Of linux/landlock.h, which is older here than the kernels that we meet.
constexpr unsigned kAskVersion = 1;
constexpr int kRulePathBeneath = 1;
struct RulesetAttributes {
  std::uint64_t handled_access_fs = 0;
};
struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed_access = 0;
  std::int32_t parent_fd = -1;
};

// All rights over files that this kernel knows: 13 at first, then renames between folders,
// truncate, and ioctl of devices came.
std::uint64_t rights_of(long abi) {
  constexpr unsigned kBits[] = {0, 13, 14, 15, 15, 16};
  const auto known = static_cast<std::size_t>(std::clamp(abi, 0L, 5L));
  return (std::uint64_t{1} << kBits[known]) - 1;
}

bool allow(int rules, const std::filesystem::path& folder, std::uint64_t rights) {
  const os::UniqueFd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return true;
  const PathBeneath rule{.allowed_access = rights, .parent_fd = fd.get()};
  return ::syscall(SYS_landlock_add_rule, rules, kRulePathBeneath, &rule, 0) == 0;
}

}  // namespace

std::optional<Fence> Fence::around(const std::vector<std::filesystem::path>& folders) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (abi < 1) return std::nullopt;
  const RulesetAttributes attributes{.handled_access_fs = rights_of(abi)};
  const long made = ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (made < 0) return std::nullopt;
  Fence fence;
  fence.rules_ = std::make_shared<const os::UniqueFd>(static_cast<int>(made));
  for (const std::filesystem::path& folder : folders) {
    if (!allow(static_cast<int>(made), folder, attributes.handled_access_fs)) return std::nullopt;
  }
  bool works = false;  // on a thread that goes again
  std::thread([&] { works = fence.enter(); }).join();
  return works ? std::optional(fence) : std::nullopt;
}

bool Fence::enter() const {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::syscall(SYS_landlock_restrict_self, rules_->get(), 0) == 0;
}

}  // namespace helve::workspace::detail
