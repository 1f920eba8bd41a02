#include "workspace/environment.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "os/fd.h"
#include "os/files.h"
#include "os/replace.h"
#include "workspace/detail/tree.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 3;  // the folder may change while it is read
constexpr std::string_view kUnfinished = ".tmp-";

os::UniqueFd open_folder(const fs::path& folder) {
  return os::UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// A change within the clock's grain of the look would not show in the times of the next look.
bool is_settled(const detail::Tree& tree) {
  constexpr std::int64_t kGrain = 100'000'000;
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(WallClock::now().time_since_epoch());
  return now.count() - tree.newest_ns > kGrain;
}

bool is_revision(std::string_view name) {
  return name.size() == 12 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_old(int folder) {
  struct stat status{};
  return ::fstat(folder, &status) == 0 && status.st_mtime < std::time(nullptr) - 60;
}

// A lock on the folder itself, shared by all who use it and gone with their processes.
struct Kept : Environment::Pinned {
  os::UniqueFd lock;
};

}  // namespace

struct Environment::State {
  Result<std::string> revision(const EnvironmentFolder& from);
  Result<Pin> make(const EnvironmentFolder& from);
  Pin pin(const std::string& revision);
  Pin keep(const std::string& revision, os::UniqueFd lock);
  void remove_others(const std::string& current) const;

  fs::path stages;
  std::mutex mutex;  // for all that follows, and for making stages
  std::optional<detail::Tree> seen;
  std::string revision_seen;
  std::weak_ptr<const Pinned> current;
};

Result<std::string> Environment::State::revision(const EnvironmentFolder& from) {
  Result<std::string> hash;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<detail::Tree> tree = detail::look_at_tree(from.folder, from.prefix);
    if (!tree) return std::unexpected(tree.error());
    if (seen == *tree) return revision_seen;
    hash = detail::hash_tree(from.folder, *tree);
    if (!hash) continue;
    if (detail::look_at_tree(from.folder, from.prefix) != *tree) continue;
    seen.reset();
    if (is_settled(*tree)) seen = *tree;
    revision_seen = *hash;
    return hash;
  }
  return hash;
}

Environment::Pin Environment::State::keep(const std::string& revision, os::UniqueFd lock) {
  // It may have been removed before it was locked.
  struct stat held{}, there{};
  const fs::path folder = stages / revision;
  const bool same = ::fstat(lock.get(), &held) == 0 && ::lstat(folder.c_str(), &there) == 0 &&
                    held.st_ino == there.st_ino && held.st_dev == there.st_dev;
  if (!same) return nullptr;
  auto kept = std::make_shared<Kept>();
  kept->revision = revision;
  kept->folder = folder;
  kept->lock = std::move(lock);
  current = kept;
  return kept;
}

Environment::Pin Environment::State::pin(const std::string& revision) {
  Pin held = current.lock();
  if (held && held->revision == revision) return held;
  os::UniqueFd folder = open_folder(stages / revision);
  if (!folder || ::flock(folder.get(), LOCK_SH | LOCK_NB) != 0) return nullptr;
  return keep(revision, std::move(folder));
}

// The revision is that of the copy, so that its name is true even if the folder changed meanwhile.
Result<Environment::Pin> Environment::State::make(const EnvironmentFolder& from) {
  const Result<detail::Tree> tree = detail::look_at_tree(from.folder, from.prefix);
  if (!tree) return std::unexpected(tree.error());
  if (Result<void> made = os::make_private_folder(stages); !made) {
    return std::unexpected(made.error());
  }
  const fs::path unfinished = stages / (std::string(kUnfinished) + random_hex(8));
  if (::mkdir(unfinished.c_str(), 0700) != 0) {
    return std::unexpected(os::errno_refusal(errno, unfinished.string()));
  }
  os::UniqueFd lock = open_folder(unfinished);
  if (lock) ::flock(lock.get(), LOCK_EX | LOCK_NB);
  const Result<std::string> revision = detail::copy_tree(from.folder, *tree, unfinished);
  if (!revision) {
    detail::remove_tree(unfinished);
    return std::unexpected(revision.error());
  }
  if (::rename(unfinished.c_str(), (stages / *revision).c_str()) != 0) {
    const int error = errno;
    detail::remove_tree(unfinished);
    if (error != EEXIST && error != ENOTEMPTY) {
      return std::unexpected(os::errno_refusal(error, unfinished.string()));
    }
    return pin(*revision);  // another process was faster
  }
  if (lock) ::flock(lock.get(), LOCK_SH | LOCK_NB);
  remove_others(*revision);
  return lock ? keep(*revision, std::move(lock)) : pin(*revision);
}

void Environment::State::remove_others(const std::string& current_name) const {
  std::error_code error;
  for (fs::directory_iterator at(stages, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool unfinished = name.starts_with(kUnfinished);
    if (name == current_name || (!unfinished && !is_revision(name))) continue;
    const os::UniqueFd folder = open_folder(at->path());
    if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (unfinished && !is_old(folder.get())) continue;
    // Under another name first, so that nobody finds half of it.
    const fs::path going = stages / (std::string(kUnfinished) + random_hex(8));
    if (::rename(at->path().c_str(), going.c_str()) == 0) detail::remove_tree(going);
  }
}

Environment::Environment(EnvironmentFolder folder, fs::path stages)
    : folder_(std::move(folder)), state_(std::make_shared<State>()) {
  state_->stages = std::move(stages);
}

Result<std::string> Environment::revision() {
  const std::lock_guard lock(state_->mutex);
  return state_->revision(folder_);
}

Result<Environment::Pin> Environment::stage() {
  const std::lock_guard lock(state_->mutex);
  Result<Pin> made;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<std::string> revision = state_->revision(folder_);
    if (!revision) return std::unexpected(revision.error());
    if (Pin pin = state_->pin(*revision)) return pin;
    made = state_->make(folder_);
    if (made && *made) return made;
  }
  if (!made) return made;
  return std::unexpected(os::errno_refusal(EBUSY, state_->stages.string()));
}

}  // namespace helve::workspace
