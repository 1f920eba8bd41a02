#include "process/detail/fence.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/files.h"
#include "process/detail/bubblewrap.h"
#include "process/detail/landlock.h"
#include "process/detail/seccomp.h"
#include "process/detail/sink.h"
#include "process/means.h"

namespace helve::process {
namespace {

constexpr int kLowest = 5;

os::UniqueFd file_of(const sock_fprog& filter) {
  os::UniqueFd file(::memfd_create("helve-filter", MFD_CLOEXEC));
  const std::string_view bytes(reinterpret_cast<const char*>(filter.filter),
                               filter.len * sizeof(sock_filter));
  if (file && os::write_all(file.get(), bytes) != 0) return {};
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

}  // namespace

os::UniqueFd above_the_childs(os::UniqueFd fd) {
  if (fd.get() < 0 || fd.get() >= kLowest) return fd;
  return os::UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kLowest));
}

Result<Fence> fence_for(const Spawn& spawn, std::string program) {
  const policy::Command& command = spawn.allowed.command();
  const Result<policy::Confine> level = resolve(command.confinement);
  if (!level) return std::unexpected(level.error());
  if (*level != policy::Confine::kFull) return Fence{*level, std::move(program), command.argv};
  const std::string& bubblewrap = means().bubblewrap;
  auto words = wrapped(command, {.bubblewrap = bubblewrap,
                                 .program = std::move(program),
                                 .filter = spawn.script ? 4 : 3,
                                 .die_with_parent = spawn.die_with_parent});
  if (!words) return std::unexpected(words.error());
  return Fence{*level, bubblewrap, *std::move(words)};
}

Failure raise(const Fence& fence, const policy::Confinement& confinement, ChildPlan& plan,
              Raised& raised) {
  if (fence.level == policy::Confine::kNone) return {};
  const KernelMeans& kernel = kernel_means();
  const bool full = fence.level == policy::Confine::kFull;
  const sock_fprog& filter =
      filter_of({.network = confinement.network, .truncates_freely = full || kernel.landlock >= 3});
  plan.no_new_privileges = true;
  if (full) {
    raised.filter_file = above_the_childs(file_of(filter));
    plan.filter_file = raised.filter_file.get();
    return raised.filter_file ? Failure{} : Failure{Step::kFence, errno};
  }
  plan.filter = &filter;
  // What may be written by its path may be written also where it was moved meanwhile.
  const auto& writable = confinement.writable;
  const bool moves =
      std::ranges::find(writable, std::filesystem::path(plan.folder)) != writable.end();
  raised.ruleset =
      above_the_childs(make_ruleset(confinement, kernel.landlock, moves ? plan.folder_fd : -1));
  plan.ruleset = raised.ruleset.get();
  return raised.ruleset ? Failure{} : Failure{Step::kFence, errno};
}

}  // namespace helve::process
