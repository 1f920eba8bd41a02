#include "process/means.h"

#include <memory>

#include "base/texts.h"
#include "os/files.h"
#include "process/detail/probe.h"
#include "process/detail/procfs.h"

namespace helve::process {
namespace {

std::unique_ptr<const Means>& pretended() {
  static std::unique_ptr<const Means> instance;
  return instance;
}

bool is_set_to(const char* file, char value) {
  const std::string text = read_small(file);
  return !text.empty() && text.front() == value;
}

// Which of the several switches has forbidden user namespaces.
std::string userns_lack(const Means& means) {
  if (is_set_to("/proc/sys/kernel/unprivileged_userns_clone", '0')) return "userns_clone";
  if (is_set_to("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1')) {
    return "userns_apparmor";
  }
  if (is_set_to("/proc/sys/user/max_user_namespaces", '0')) return "userns_max";
  return means.user_namespaces != 0 ? "userns" : "";
}

std::string lack_of_paths(const KernelMeans& kernel) {
  if (kernel.landlock <= 0) return "landlock";
  return kernel.seccomp ? "" : "seccomp";
}

std::string lack_of_full(const Means& means) {
  if (!means.kernel.seccomp) return "seccomp";
  if (means.bubblewrap.empty()) return "bubblewrap";
  if (means.user_namespaces == 0 && means.bubblewrap_trouble.empty()) return "";
  const std::string lack = userns_lack(means);
  return lack.empty() ? "bubblewrap_fails" : lack;
}

Texts words_for(const Means& means) {
  return {{"reason", means.bubblewrap_trouble.empty() ? os::errno_text(means.user_namespaces)
                                                      : means.bubblewrap_trouble}};
}

std::unexpected<Refusal> unavailable(policy::Confine level, const std::string& lack,
                                     const Texts& words) {
  return refuse("confine.unavailable",
                {{"level", std::string(name_of(level))},
                 {"missing", text("confine.missing." + lack, words)},
                 {"fix", text("confine.fix." + lack, words)}},
                Json{{"missing", lack}});
}

std::string fix_of(const std::string& lack, const Texts& words) {
  return lack.empty() ? "" : text("confine.fix." + lack, words);
}

// Of what is there or not, and of nothing else: its value is what it is good for.
MeansRow plain_row(const std::string& key, bool works, std::string fix) {
  return {key, works, text("means.for." + key), std::move(fix)};
}

MeansRow plain_row(const std::string& key, bool works) {
  return plain_row(key, works, works ? "" : text("means.fix." + key));
}

MeansRow shell_row(const Means& means) {
  const bool works = !means.shell.empty();
  return {"shell", works, works ? means.shell : text("means.none.shell"),
          means.shell.ends_with("/bash") ? "" : text("means.fix.shell")};
}

MeansRow cgroup_row(const Means& means) {
  const bool works = !means.cgroup.empty();
  return {"cgroup", works, works ? means.cgroup : text("means.none.cgroup"),
          works ? "" : text("means.fix.cgroup")};
}

MeansRow controllers_row(const Means& means) {
  std::string names;
  bool memory = false, pids = false;
  for (const std::string& name : means.controllers) {
    names += names.empty() ? name : ' ' + name;
    memory = memory || name == "memory";
    pids = pids || name == "pids";
  }
  const bool works = memory && pids;
  return {"controllers", works, names.empty() ? text("means.none.controllers") : names,
          works ? "" : text("means.fix.controllers")};
}

MeansRow landlock_row(int abi) {
  if (abi <= 0) return {"landlock", false, text("means.none.landlock"), fix_of("landlock", {})};
  return {"landlock", true, text("means.abi", {{"abi", std::to_string(abi)}}), ""};
}

MeansRow bubblewrap_row(const Means& means, const std::string& fix) {
  if (means.bubblewrap.empty()) return {"bubblewrap", false, text("means.none.bubblewrap"), fix};
  const bool works = means.bubblewrap_trouble.empty();
  return {"bubblewrap", works, means.bubblewrap_version, works ? "" : fix};
}

}  // namespace

const KernelMeans& kernel_means() {
  if (pretended()) return pretended()->kernel;
  static const KernelMeans kFound = probe_kernel();
  return kFound;
}

const Means& means() {
  if (pretended()) return *pretended();
  static const Means kFound = probe_machine(kernel_means());
  return kFound;
}

std::vector<MeansRow> rows_of(const Means& means) {
  const std::string paths = lack_of_paths(means.kernel);
  const std::string full = lack_of_full(means);
  const Texts words = words_for(means);
  const bool seccomp = means.kernel.seccomp;
  const bool userns = means.user_namespaces == 0;
  return {
      shell_row(means),
      plain_row("pidfd", means.pidfd),
      plain_row("clone3", means.clone3),
      plain_row("subreaper", means.subreaper),
      plain_row("children", means.children),
      plain_row("openat2", means.openat2),
      cgroup_row(means),
      controllers_row(means),
      landlock_row(means.kernel.landlock),
      plain_row("seccomp", seccomp, seccomp ? "" : fix_of("seccomp", words)),
      plain_row("user_namespaces", userns, userns ? "" : fix_of(userns_lack(means), words)),
      bubblewrap_row(means, fix_of(full, words)),
      plain_row("confine_paths", paths.empty(), fix_of(paths, words)),
      plain_row("confine_full", full.empty(), fix_of(full, words)),
  };
}

Result<policy::Confine> resolve(const policy::Confinement& confinement) {
  using policy::Confine;
  Confine level = confinement.level;
  if (level == Confine::kNone) {
    if (!confinement.network) return refuse("confine.network_needs_level");
    return level;
  }
  const std::string paths = lack_of_paths(kernel_means());
  if (level == Confine::kPaths) {
    if (paths.empty()) return level;
    return unavailable(level, paths, {});
  }
  const Means& found = means();
  const std::string full = lack_of_full(found);
  if (full.empty()) return Confine::kFull;
  if (level == Confine::kFull) return unavailable(level, full, words_for(found));
  if (paths.empty()) return Confine::kPaths;
  // Without any fence nothing would keep it from the network.
  if (!confinement.network) return unavailable(level, paths, words_for(found));
  return Confine::kNone;
}

namespace testing {

PretendedMeans::PretendedMeans(Means means) {
  pretended() = std::make_unique<const Means>(std::move(means));
}
PretendedMeans::~PretendedMeans() { pretended().reset(); }

}  // namespace testing

}  // namespace helve::process
