#include "os/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"

namespace helve::os {
namespace {

constexpr std::size_t kMostLinks = 40;
constexpr std::size_t kMostSteps = 20'000;  // links full of ".." make it start again and again

struct Part {
  std::string name;
  bool from_link = false;
};

class Walker {
 public:
  explicit Walker(const Walk& walk) : walk_(walk), root_(walk.from) { prepend(walk.below, false); }

  std::expected<Found, Stopped> run() {
    if (!enter_root()) return stop(Stopped::Why::kError, errno, "");
    while (!parts_.empty()) {
      const Part part = std::move(parts_.front());
      parts_.pop_front();
      if (++steps_ > kMostSteps) return stop(Stopped::Why::kError, ELOOP, part.name);
      if (part.name.empty() || part.name == ".") continue;
      auto end = part.name == ".." ? go_up() : step(part);
      if (end) return *std::move(end);
    }
    return at_folder();
  }

 private:
  using End = std::optional<std::expected<Found, Stopped>>;

  void prepend(std::string_view text, bool from_link) {
    const std::vector<std::string_view> names = split(text, '/');
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      parts_.push_front({std::string(*name), from_link});
    }
  }

  bool enter_root() {
    names_.clear();
    top_ = UniqueFd(::fcntl(root_->fd, F_DUPFD_CLOEXEC, 0));
    return static_cast<bool>(top_);
  }

  std::string path_of_top() const {
    std::string path = root_->path == "/" ? "" : root_->path;
    for (const std::string& name : names_) path.append(1, '/').append(name);
    return path.empty() ? "/" : path;
  }

  std::expected<Found, Stopped> stop(Stopped::Why why, int error, std::string name) {
    made_.remove(top_.get());
    Stopped stopped{.why = why, .error = error, .name = std::move(name), .path = path_of_top()};
    stopped.folder = std::move(top_);
    return std::unexpected(std::move(stopped));
  }

  std::expected<Found, Stopped> at_folder() {
    Found found{.path = path_of_top(), .made = std::move(made_)};
    if (::fstat(top_.get(), &found.status) != 0) return stop(Stopped::Why::kError, errno, "");
    found.there = std::move(top_);
    return found;
  }

  // Goes on from an absolute path, in whichever root covers it.
  End go_to(const std::string& path, const std::string& name) {
    std::string rest = path;
    for (const Part& part : parts_) rest.append(1, '/').append(part.name);
    const Covered covered = cover(walk_.roots, normal_path(rest));
    if (covered.root == nullptr) return stop(Stopped::Why::kOutside, EXDEV, name);
    root_ = covered.root;
    parts_.clear();
    prepend(covered.below, true);
    if (!enter_root()) return stop(Stopped::Why::kError, errno, name);
    return std::nullopt;
  }

  // Only a link says "..". Its folder is found again from the root, so none is left by a rename.
  End go_up() {
    if (names_.empty()) {
      if (root_->path == "/") return std::nullopt;
      return go_to(root_->path + "/..", "..");
    }
    names_.pop_back();
    while (!parts_.empty() && parts_.front().name == ".." && !names_.empty()) {
      parts_.pop_front();
      names_.pop_back();
    }
    for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
      parts_.push_front({std::move(*name), true});
    }
    if (!enter_root()) return stop(Stopped::Why::kError, errno, "..");
    return std::nullopt;
  }

  bool allowed(const std::string& name, const struct stat* child) const {
    return !walk_.allowed || walk_.allowed({path_of_top(), top_.get(), name, child});
  }

  End step(const Part& part) {
    const std::string& name = part.name;
    bool made = false;
    for (int attempt = 0;; ++attempt) {
      UniqueFd fd(::openat(top_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!fd && errno != ENOENT) return stop(Stopped::Why::kError, errno, name);
      struct stat status{};
      if (fd && ::fstat(fd.get(), &status) != 0) return stop(Stopped::Why::kError, errno, name);
      if (!allowed(name, fd ? &status : nullptr)) {
        return stop(Stopped::Why::kForbidden, EPERM, name);
      }
      if (fd && made) made_.add(name, status);
      if (fd) return enter(std::move(fd), status, name);
      if (is_last()) return absent(name);
      if (!walk_.create_folders || part.from_link || attempt > 0) {
        return stop(Stopped::Why::kError, ENOENT, name);
      }
      made = ::mkdirat(top_.get(), name.c_str(), 0777) == 0;
      if (!made && errno != EEXIST) return stop(Stopped::Why::kError, errno, name);
    }
  }

  bool is_last() const {
    for (const Part& part : parts_) {
      if (!part.name.empty() && part.name != ".") return false;
    }
    return true;
  }

  std::expected<Found, Stopped> absent(const std::string& name) {
    Found found{.folder = {}, .name = name, .path = path_of_top(), .made = std::move(made_)};
    found.path.append(found.path == "/" ? 0 : 1, '/').append(name);
    found.folder = std::move(top_);
    return found;
  }

  End enter(UniqueFd fd, const struct stat& status, const std::string& name) {
    if (S_ISLNK(status.st_mode)) return follow(fd.get(), name);
    if (S_ISDIR(status.st_mode)) {
      if (is_last()) return found(std::move(fd), status, name);
      names_.push_back(name);
      top_ = std::move(fd);
      return std::nullopt;
    }
    if (!is_last()) return stop(Stopped::Why::kError, ENOTDIR, name);
    return found(std::move(fd), status, name);
  }

  std::expected<Found, Stopped> found(UniqueFd fd, const struct stat& status,
                                      const std::string& name) {
    std::expected<Found, Stopped> there = absent(name);
    there->there = std::move(fd);
    there->status = status;
    return there;
  }

  End follow(int link, const std::string& name) {
    if (++links_ > kMostLinks) return stop(Stopped::Why::kError, ELOOP, name);
    std::string text(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(link, "", text.data(), text.size());
    if (size < 0) return stop(Stopped::Why::kError, errno, name);
    text.resize(static_cast<std::size_t>(size));
    if (text.empty()) return stop(Stopped::Why::kError, ENOENT, name);
    if (text.front() == '/') return go_to(text, name);
    prepend(text, true);
    return std::nullopt;
  }

  const Walk& walk_;
  const Root* root_;
  UniqueFd top_;                    // the folder where the walk is
  std::vector<std::string> names_;  // from the root to it
  std::deque<Part> parts_;          // still to go
  MadeFolders made_;
  std::size_t links_ = 0, steps_ = 0;
};

}  // namespace

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/';
}

Covered cover(std::span<const Root> roots, std::string_view path) {
  Covered covered;
  std::size_t longest = 0;
  for (const Root& root : roots) {
    for (const std::string& name : {root.path, root.alias}) {
      if (name.empty() || name.size() < longest || !is_below(path, name)) continue;
      longest = name.size();
      const std::size_t skipped = name == "/" ? 1 : name.size() + 1;
      covered = {&root, std::string(path.substr(std::min(skipped, path.size())))};
    }
  }
  return covered;
}

std::string normal_path(std::string_view path) {
  std::vector<std::string> kept;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.emplace_back(part);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  return "/" + join(kept, "/");
}

std::expected<Found, Stopped> walk(const Walk& walk) { return Walker(walk).run(); }

UniqueFd open_beneath(const Root* root, const std::string& below) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS | (root != nullptr ? RESOLVE_BENEATH : 0U);
  const char* path = below.empty() ? "." : below.c_str();
  const int from = root != nullptr ? root->fd : AT_FDCWD;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, from, path, &how, sizeof how)));
}

}  // namespace helve::os
