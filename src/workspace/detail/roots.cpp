#include "workspace/detail/roots.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace helve::workspace::detail {
namespace {

std::string real_path_of(int fd) {
  std::string path(PATH_MAX, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path;
}

}  // namespace

void Roots::open(Folder& folder) {
  os::UniqueFd fd(::open(folder.given.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  folder.error = fd ? 0 : errno;
  folder.fd = nullptr;
  if (!fd) return;
  folder.real = real_path_of(fd.get());
  if (folder.real.empty()) folder.real = folder.given;
  folder.fd = std::make_shared<const os::UniqueFd>(std::move(fd));
}

Roots::Roots(const Settings& settings) : environment_(settings.environment) {
  std::vector<std::string> given = {"/"};
  if (settings.reach == Reach::kRoots) {
    given = {settings.root.string()};
    for (const std::filesystem::path& root : settings.roots) given.push_back(root.string());
  }
  for (const std::string& path : given) {
    folders_.push_back({.given = os::normal_path(path), .real = {}, .fd = nullptr});
    open(folders_.back());
  }
}

bool Roots::covers(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(folders_, [&](const Folder& folder) {
    return os::is_below(path, folder.given) ||
           (!folder.real.empty() && os::is_below(path, folder.real));
  });
}

Result<Roots::Start> Roots::start(const Place& place) const {
  if (place.in_environment) return start_in_environment(place);
  Start start;
  int error = ENOENT;
  {
    const std::lock_guard lock(mutex_);
    for (Folder& folder : folders_) {
      struct stat status{};
      const bool gone = !folder.fd || ::fstat(folder.fd->get(), &status) != 0 ||
                        (status.st_nlink == 0 && folder.given != "/");
      if (gone) open(folder);
      if (folder.error != 0) error = folder.error;
      if (!folder.fd) continue;
      start.held.push_back(folder.fd);
      start.roots.push_back({folder.real, folder.given, folder.fd->get()});
    }
  }
  os::Covered covered = os::cover(start.roots, place.path.string());
  if (covered.root == nullptr) return std::unexpected(os::errno_refusal(error, place.shown));
  start.from = static_cast<std::size_t>(covered.root - start.roots.data());
  start.below = std::move(covered.below);
  return start;
}

// The owner may swap this folder for another by a rename, so it is opened anew each time.
Result<Roots::Start> Roots::start_in_environment(const Place& place) const {
  Folder folder{.given = environment_->folder.string(), .real = {}, .fd = nullptr};
  open(folder);
  if (!folder.fd) return std::unexpected(os::errno_refusal(folder.error, place.shown));
  Start start;
  start.held.push_back(folder.fd);
  start.roots.push_back({folder.real, environment_->prefix, folder.fd->get()});
  const std::string path = place.path.string();
  start.below = path.substr(std::min(path.size(), environment_->prefix.size() + 1));
  return start;
}

std::string Roots::listed() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Folder& folder : folders_) names.push_back(folder.given);
  return flatten_controls(to_utf8(join(names, ", ")));
}

}  // namespace helve::workspace::detail
