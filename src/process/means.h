// process/means.h
//
// What this machine has for holding commands together and fencing them in: found out by trying,
// once, in well under 100 ms. `helve doctor` prints it, and Process::start refuses by it what was
// asked for and is not there. Blocking at the first use; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "policy/confinement.h"

namespace helve::process {

// What the kernel itself says; found in microseconds.
struct KernelMeans {
  int landlock = 0;  // its ABI; 0: none
  bool seccomp = false;
};

struct Means {
  KernelMeans kernel;
  std::string shell;  // path of bash, or of sh; "": neither
  bool clone3 = false, pidfd = false, subreaper = false, children = false, openat2 = false;
  std::string cgroup;                    // the folder of ours; "": none that we may write to
  std::vector<std::string> controllers;  // that hold for our cgroups
  int user_namespaces = 0;               // 0: they can be made; else the errno
  std::string bubblewrap;                // its path; "": not installed
  std::string bubblewrap_version;
  std::string bubblewrap_trouble;  // what it said when it was tried; "": it works
};

const KernelMeans& kernel_means();
const Means& means();

// One row of `helve doctor`. `fix` is a sentence for people, "" where nothing is wrong.
struct MeansRow {
  std::string key;  // "landlock", "bubblewrap", ...
  bool works = false;
  std::string value;  // "ABI 7", a path, a version; or what it is good for
  std::string fix;
};
std::vector<MeansRow> rows_of(const Means& means);

// The level that holds: kBest becomes the strongest that works. Refused: confine.unavailable
// {level, missing, fix}, details {missing}; confine.network_needs_level for `network` false at
// kNone.
Result<policy::Confine> resolve(const policy::Confinement& confinement);

namespace testing {

// While it lives, this is what the machine has. One at a time; before other threads ask.
class PretendedMeans {
 public:
  explicit PretendedMeans(Means means);
  PretendedMeans(const PretendedMeans&) = delete;
  PretendedMeans& operator=(const PretendedMeans&) = delete;
  ~PretendedMeans();
};

}  // namespace testing

}  // namespace helve::process
