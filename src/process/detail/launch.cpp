#include "process/detail/launch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "os/limits.h"
#include "process/detail/environment.h"
#include "process/detail/procfs.h"
#include "process/detail/sink.h"

namespace helve::process {
namespace {

constexpr size_t kPipeBytes = 64 * 1024;

// A host that was started with 0, 1 or 2 closed gets these numbers for its pipes; in the child they
// would be overwritten before they are used.
os::UniqueFd above_stdio(os::UniqueFd fd) {
  if (fd.get() < 0 || fd.get() > 2) return fd;
  return os::UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  os::UniqueFd read, write;

  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = above_stdio(os::UniqueFd(ends[0]));
    write = above_stdio(os::UniqueFd(ends[1]));
    return read && write;
  }
};

// Only our end: the description of the child's end belongs to programs that expect to block.
bool unblock(const os::UniqueFd& fd) { return ::fcntl(fd.get(), F_SETFL, O_NONBLOCK) == 0; }

int null_device() {
  static const os::UniqueFd kNull =
      above_stdio(os::UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
  return kNull.get();
}

class Streams {
 public:
  explicit Streams(const Spawn& spawn) : spawn_(spawn) {}

  Failure open(Launched& launched) {
    if (const Failure failure = open_input(launched)) return failure;
    if (!out_.open() || (!spawn_.joined && !err_.open())) return {Step::kPipe, errno};
    launched.out = std::move(out_.read);
    launched.err = std::move(err_.read);
    if (!unblock(launched.out) || (launched.err && !unblock(launched.err))) {
      return {Step::kPipe, errno};
    }
    return {};
  }

  void give_to(ChildPlan& plan) const {
    plan.in = in_ ? in_.get() : null_device();
    plan.out = out_.write.get();
    plan.err = spawn_.joined ? plan.out : err_.write.get();
  }

 private:
  Failure open_input(Launched& launched) {
    if (const File* file = std::get_if<File>(&spawn_.input)) {
      in_ = above_stdio(reopen((*file)->get()));
      return in_ ? Failure{} : Failure{Step::kInput, errno};
    }
    const Bytes* bytes = std::get_if<Bytes>(&spawn_.input);
    if (bytes == nullptr) return null_device() >= 0 ? Failure{} : Failure{Step::kInput, errno};
    Pipe pipe;
    if (!pipe.open() || !unblock(pipe.write)) return {Step::kPipe, errno};
    in_ = std::move(pipe.read);
    // What fits is written before there is a reader: then nothing is left to wait for.
    const ssize_t wrote =
        ::write(pipe.write.get(), (*bytes)->data(), std::min((*bytes)->size(), kPipeBytes));
    launched.fed = wrote > 0 ? static_cast<size_t>(wrote) : 0;
    if (launched.fed < (*bytes)->size()) launched.in = std::move(pipe.write);
    return {};
  }

  const Spawn& spawn_;
  os::UniqueFd in_;
  Pipe out_, err_;
};

void add_limit(ChildPlan& plan, int resource, const std::optional<std::uint64_t>& value) {
  if (!value) return;
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  const std::uint64_t limit = std::min<std::uint64_t>(*value, now.rlim_max);
  plan.limits[plan.limit_count++] = {resource, limit, limit};
}

void add_limits(ChildPlan& plan, const policy::Limits& limits) {
  add_limit(plan, RLIMIT_CORE, 0);
  add_limit(plan, RLIMIT_CPU, limits.cpu_seconds);
  add_limit(plan, RLIMIT_AS, limits.memory_bytes);
  add_limit(plan, RLIMIT_FSIZE, limits.file_bytes);
  add_limit(plan, RLIMIT_NOFILE, limits.open_files);
  add_limit(plan, RLIMIT_NPROC, limits.user_processes);
  const auto before = os::open_files_before();
  if (before && !limits.open_files) {
    plan.limits[plan.limit_count++] = {RLIMIT_NOFILE, before->rlim_cur, before->rlim_max};
  }
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The kernel may refuse the cgroup alone (delegation, an old kernel, a filter): then without.
Cloned clone_in_cgroup(ChildPlan& plan, const policy::Limits& limits, Launched& launched) {
  launched.cgroup = take_cgroup();
  launched.cgroup.limit({limits.tree_memory_bytes, limits.tree_processes});
  plan.cgroup = launched.cgroup.fd();
  Cloned cloned = clone_and_own(plan);
  const bool shortage = cloned.failure.error == EAGAIN || cloned.failure.error == ENOMEM;
  if (launched.cgroup && cloned.failure.step == Step::kClone && !shortage) {
    use_cgroups(false);
    give_back(std::move(launched.cgroup));
    launched.cgroup = {};
    plan.cgroup = -1;
    cloned = clone_and_own(plan);
  }
  return cloned;
}

int own_oom_score_adj() {
  static const int kOwn = [] {
    const std::string text = read_small("/proc/self/oom_score_adj");
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }();
  return kOwn;
}

// What the child sets about itself; `oom_score_adj` holds the text that the plan points to.
void add_weights(ChildPlan& plan, const Spawn& spawn, std::string& oom_score_adj) {
  if (spawn.umask) plan.umask = static_cast<int>(*spawn.umask & 0777);
  if (spawn.nice != 0) plan.nice = std::clamp(::getpriority(PRIO_PROCESS, 0) + spawn.nice, -20, 19);
  if (spawn.oom_score_adj == 0) return;
  oom_score_adj =
      std::to_string(std::clamp(own_oom_score_adj() + spawn.oom_score_adj, -1000, 1000));
  plan.oom_score_adj = oom_score_adj.c_str();
}

Failure open_script(const Spawn& spawn, ChildPlan& plan, os::UniqueFd& script) {
  if (!spawn.script) return {};
  script = above_the_childs(reopen(spawn.script->get()));
  plan.script = script.get();
  return script ? Failure{} : Failure{Step::kInput, errno};
}

}  // namespace

Failure launch(const Spawn& spawn, const Fence& fence, Launched& launched) {
  const policy::Command& command = spawn.allowed.command();
  Streams streams(spawn);
  if (const Failure failure = streams.open(launched)) return failure;
  launched.mark = new_mark();
  const Environment environment(command, launched.mark);
  const std::vector<char*> argv = pointers_to(fence.argv);
  const std::string folder = command.folder.empty() ? "." : command.folder.string();
  ChildPlan plan{.program = fence.program.c_str(),
                 .argv = argv.data(),
                 .variables = environment.pointers(),
                 .folder = folder.c_str(),
                 .die_with_parent = spawn.die_with_parent};
  // Bubblewrap makes the folder's place anew, and so goes by its path.
  if (spawn.folder && fence.level != policy::Confine::kFull) plan.folder_fd = spawn.folder->get();
  streams.give_to(plan);
  add_limits(plan, spawn.allowed.limits());
  std::string oom_score_adj;
  add_weights(plan, spawn, oom_score_adj);
  os::UniqueFd script;
  if (const Failure failure = open_script(spawn, plan, script)) return failure;
  Raised raised;
  if (const Failure failure = raise(fence, command.confinement, plan, raised)) return failure;
  Cloned cloned = clone_in_cgroup(plan, spawn.allowed.limits(), launched);
  if (cloned.failure) {
    give_back(std::move(launched.cgroup));
    return cloned.failure;
  }
  launched.pid = cloned.pid;
  launched.pidfd = std::move(cloned.pidfd);
  return {};
}

}  // namespace helve::process
