#include "process/detail/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace helve::process {
namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445;
constexpr unsigned kVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
constexpr int kPathBeneath = 1;   // LANDLOCK_RULE_PATH_BENEATH

constexpr std::uint64_t bit(int number) { return 1ULL << number; }

constexpr std::uint64_t kWriteFile = bit(1);
// Whoever may make a device may write to every disk (root may), so that nobody gets these.
constexpr std::uint64_t kMakeDevices = bit(6) | bit(11);
constexpr std::uint64_t kRemoveAndMake =
    bit(4) | bit(5) | bit(6) | bit(7) | bit(8) | bit(9) | bit(10) | bit(11) | bit(12);
constexpr std::uint64_t kRefer = bit(13);     // ABI 2: links and renames between folders
constexpr std::uint64_t kTruncate = bit(14);  // ABI 3
constexpr std::uint64_t kBindAndConnect = bit(0) | bit(1);  // ABI 4, of TCP
constexpr std::uint64_t kScopes = bit(0) | bit(1);          // ABI 6: abstract sockets, signals

struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};

struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent;
};

// /dev/shm and terminals of one's own are shared with the user's other programs; without them
// neither Python's multiprocessing nor `script` works.
constexpr const char* kAlwaysWritable[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                           "/dev/random", "/dev/urandom", "/dev/tty",
                                           "/dev/ptmx",   "/dev/pts",     "/dev/shm"};

std::uint64_t rights_of(int abi) {
  std::uint64_t rights = kWriteFile | kRemoveAndMake;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  return rights;
}

void allow_below(int ruleset, int place, std::uint64_t rights) {
  struct stat status{};
  if (place < 0 || ::fstat(place, &status) != 0) return;
  rights &= ~kMakeDevices;
  if (!S_ISDIR(status.st_mode)) rights &= kWriteFile | kTruncate;
  const PathBeneath rule{rights, place};
  ::syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
}

void allow_below(int ruleset, const char* path, std::uint64_t rights) {
  const os::UniqueFd place(::open(path, O_PATH | O_CLOEXEC));
  allow_below(ruleset, place.get(), rights);
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

os::UniqueFd make_ruleset(const policy::Confinement& confinement, int abi, int held) {
  RulesetAttributes attributes{rights_of(abi), 0, abi >= 6 ? kScopes : 0};
  if (abi >= 4 && !confinement.network) attributes.network = kBindAndConnect;
  const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  os::UniqueFd ruleset(static_cast<int>(::syscall(kCreateRuleset, &attributes, size, 0)));
  if (!ruleset) return ruleset;
  for (const char* path : kAlwaysWritable) allow_below(ruleset.get(), path, attributes.files);
  for (const auto& path : confinement.writable) {
    allow_below(ruleset.get(), path.c_str(), attributes.files);
  }
  allow_below(ruleset.get(), held, attributes.files);
  return ruleset;
}

}  // namespace helve::process
