#include "process/detail/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "process/detail/procfs.h"

namespace helve::process {
namespace {

constexpr size_t kKept = 64;  // empty ones that wait for the next command

constexpr std::string_view kPrefix = "helve-";  // then the maker's pid

// Of hosts that were killed outright.
void remove_leftovers(const std::string& above) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(above, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const int maker = std::atoi(name.c_str() + kPrefix.size());
    if (maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH) remove_cgroups(entry.path());
  }
}

class Pool {
 public:
  Cgroup take() {
    const std::scoped_lock lock(mutex_);
    forget_what_a_parent_made();
    if (!ready()) return {};
    if (idle_.empty()) collect();
    if (idle_.empty()) return make();
    Cgroup cgroup = std::move(idle_.back());
    idle_.pop_back();
    return cgroup;
  }

  void give_back(Cgroup cgroup) {
    const std::scoped_lock lock(mutex_);
    put(std::move(cgroup));
  }

  void use(bool use) {
    const std::scoped_lock lock(mutex_);
    disabled_ = !use;
  }

  std::string folder() {
    const std::scoped_lock lock(mutex_);
    forget_what_a_parent_made();
    return folder_;
  }

  ~Pool() {
    if (folder_.empty() || maker_ != ::getpid()) return;
    remove_cgroups(folder_);
  }

 private:
  void forget_what_a_parent_made() {
    if (folder_.empty() || maker_ == ::getpid()) return;
    folder_.clear();
    idle_.clear();
    busy_.clear();
  }

  bool ready() {
    if (disabled_) return false;
    if (!folder_.empty()) return true;
    const auto above =
        own_cgroup_folder(read_small("/proc/self/mountinfo"), read_small("/proc/self/cgroup"));
    if (above) remove_leftovers(*above);
    const std::string name =
        std::string(kPrefix) + std::to_string(::getpid()) + '-' + random_hex(4);
    const std::string folder = above ? *above + '/' + name : "";
    disabled_ = !above || ::mkdir(folder.c_str(), 0755) != 0;
    if (disabled_) return false;
    if (::access((folder + "/cgroup.kill").c_str(), W_OK) != 0) {  // Linux before 5.14
      ::rmdir(folder.c_str());
      disabled_ = true;
      return false;
    }
    folder_ = folder;
    maker_ = ::getpid();
    hand_down_controllers(*above,
                          *above + '/' + std::string(kPrefix) + std::to_string(maker_) + "-host");
    hand_down_controllers(folder_, "");
    return true;
  }

  void put(Cgroup cgroup) {
    if (!cgroup.empty()) {
      busy_.push_back(std::move(cgroup));
    } else if (idle_.size() < kKept && !disabled_ && !cgroup.spent()) {
      idle_.push_back(std::move(cgroup));
    } else {
      ::rmdir(cgroup.folder().c_str());
    }
  }

  // Those whose last process has gone since.
  void collect() {
    for (Cgroup& cgroup : std::exchange(busy_, {})) put(std::move(cgroup));
  }

  Cgroup make() {
    const std::string folder = folder_ + '/' + std::to_string(++made_);
    if (::mkdir(folder.c_str(), 0755) != 0) return {};
    os::UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    os::UniqueFd events(::open((folder + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
    if (fd && events) return {folder, std::move(fd), std::move(events)};
    ::rmdir(folder.c_str());
    return {};
  }

  std::mutex mutex_;
  bool disabled_ = false;
  std::string folder_;
  pid_t maker_ = 0;
  unsigned long made_ = 0;
  std::vector<Cgroup> idle_, busy_;
};

Pool& pool() {
  static Pool instance;
  return instance;
}

}  // namespace

Cgroup::Cgroup(std::string folder, os::UniqueFd fd, os::UniqueFd events)
    : folder_(std::move(folder)), fd_(std::move(fd)), events_(std::move(events)) {}

void Cgroup::limit(const CgroupLimits& limits) {
  if (!*this) return;
  if (limits != limits_) write_limits(fd(), limits);
  limits_ = limits;
  if (limits.memory_bytes) oom_kills_ = oom_kills(fd());
}

bool Cgroup::out_of_memory() const {
  return *this && limits_.memory_bytes && oom_kills(fd()) > oom_kills_;
}

bool Cgroup::empty() const {
  std::array<char, 256> text;
  const ssize_t got = ::pread(events_.get(), text.data(), text.size(), 0);
  const std::string_view events(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
  return events.find("populated 0") != std::string_view::npos;
}

std::vector<int> Cgroup::pids() const { return parse_pids(read_small_at(fd(), "cgroup.procs")); }

bool Cgroup::kill() {
  spent_ = true;
  const os::UniqueFd file(::openat(fd(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), "1", 1) == 1;
}

Cgroup take_cgroup() { return pool().take(); }
void give_back(Cgroup cgroup) {
  if (cgroup) pool().give_back(std::move(cgroup));
}
void use_cgroups(bool use) { pool().use(use); }
std::string cgroups_folder() { return pool().folder(); }

bool remove_cgroups(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored)) ::rmdir(entry.path().c_str());
  }
  return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

std::optional<std::string> own_cgroup_folder(std::string_view mountinfo, std::string_view cgroup) {
  std::string_view own;  // "0::/user.slice/..."
  for (const std::string_view line : split(cgroup, '\n')) {
    if (line.starts_with("0::")) own = line.substr(3);
  }
  if (own.empty()) return std::nullopt;
  for (const std::string_view line : split(mountinfo, '\n')) {
    if (line.find(" - cgroup2 ") == std::string_view::npos) continue;
    const auto fields = split(line, ' ');  // id, parent, device, root, mount point, ...
    if (fields.size() < 5) continue;
    const std::string_view root = fields[3] == "/" ? "" : fields[3];
    if (!own.starts_with(root)) continue;
    std::string_view below = own.substr(root.size());
    if (below == "/") below = "";
    return std::string(fields[4]).append(below);
  }
  return std::nullopt;
}

}  // namespace helve::process
