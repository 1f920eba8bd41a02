#include "workspace/detail/protected.h"

#include <algorithm>

namespace helve::workspace::detail {
namespace {

namespace fs = std::filesystem;

// More files than a configuration has; the search ends there.
constexpr std::size_t kMostEntries = 20'000;

}  // namespace

std::optional<Protected::Id> Protected::id_of(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Id(status.st_dev, status.st_ino);
}

Protected::Protected(const std::vector<fs::path>& configuration) {
  for (const fs::path& path : configuration) {
    Entry entry{.given = os::normal_path(path.string()), .real = {}, .name = {}};
    entry.name = fs::path(entry.given).filename().string();
    std::error_code error;
    entry.real = fs::weakly_canonical(entry.given, error).string();
    if (error) entry.real = entry.given;
    entry.self = id_of(entry.given);
    entry.folder = id_of(fs::path(entry.given).parent_path());
    entries_.push_back(std::move(entry));
  }
}

bool Protected::covers(std::string_view real_path) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return os::is_below(real_path, entry.given) || os::is_below(real_path, entry.real);
  });
}

bool Protected::covers(const os::Walk::Step& step) const {
  struct stat folder{};
  const bool known = ::fstat(step.folder, &folder) == 0;
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    if (step.child != nullptr && entry.self == Id(step.child->st_dev, step.child->st_ino)) {
      return true;
    }
    return known && entry.name == step.name && entry.folder == Id(folder.st_dev, folder.st_ino);
  });
}

bool Protected::has_link_to(const struct stat& file) const {
  if (file.st_nlink < 2) return false;
  std::size_t seen = 0;
  for (const Entry& entry : entries_) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(entry.given, error), end; !error && at != end;
         at.increment(error)) {
      struct stat status{};
      if (++seen > kMostEntries) return false;
      if (::lstat(at->path().c_str(), &status) != 0) continue;
      if (status.st_ino == file.st_ino && status.st_dev == file.st_dev) return true;
    }
  }
  return false;
}

}  // namespace helve::workspace::detail
