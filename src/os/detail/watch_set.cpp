#include "os/detail/watch_set.h"

#include <sys/stat.h>

#include <optional>

namespace helve::os {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 16;  // that lead to one another; then it is a circle

void add(WatchedFolders& folders, const fs::path& folder, bool entries) {
  bool& known = folders.try_emplace(folder, false).first->second;
  known = known || entries;
}

void cover(WatchedFolders& folders, const fs::path& path, int links);

// A link: its own folder says when it points elsewhere, and where it points counts as well.
void cover_link(WatchedFolders& folders, const fs::path& link, int links) {
  std::error_code error;
  const fs::path target = fs::read_symlink(link, error);
  if (error || links >= kMostLinks) return;
  cover(folders, (link.parent_path() / target).lexically_normal(), links + 1);
}

// Every folder on the way to `path`. The entries of the last one matter: of `path` itself if it is
// a folder, else of the one that it is in.
void cover(WatchedFolders& folders, const fs::path& path, int links) {
  fs::path at;
  for (const fs::path& part : path) {
    const fs::path parent = at;
    at /= part;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(at, error);
    if (!fs::exists(status)) return add(folders, parent, true);
    if (fs::is_symlink(status)) {
      add(folders, parent, true);
      cover_link(folders, at, links);
    }
    if (at != path) add(folders, at, false);
  }
  std::error_code error;
  add(folders, fs::is_directory(path, error) ? path : path.parent_path(), true);
}

bool matches(const std::string& file, const std::string& name) {
  if (!name.starts_with('*')) return file == name;
  return file.size() >= name.size() && file.ends_with(name.substr(1));
}

std::vector<fs::path> files_of(const WatchSpot& spot) {
  if (!spot.name.starts_with('*')) return {spot.folder / spot.name};
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(spot.folder, error), end; !error && at != end;
       at.increment(error)) {
    if (matches(at->path().filename().string(), spot.name)) files.push_back(at->path());
  }
  return files;
}

std::optional<FileMark> mark_of(const fs::path& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileMark{facts.st_dev, facts.st_ino, facts.st_size, facts.st_ctim.tv_sec,
                  facts.st_ctim.tv_nsec};
}

}  // namespace

WatchedFolders folders_to_watch(const std::vector<WatchSpot>& spots) {
  WatchedFolders folders;
  for (const WatchSpot& spot : spots) {
    cover(folders, spot.folder.lexically_normal(), 0);
    for (const fs::path& file : files_of(spot)) {
      std::error_code error;
      if (fs::is_symlink(fs::symlink_status(file, error))) cover_link(folders, file, 0);
    }
  }
  return folders;
}

Marks marks_of(const std::vector<WatchSpot>& spots) {
  Marks marks;
  for (const WatchSpot& spot : spots) {
    for (const fs::path& file : files_of(spot)) {
      if (const auto mark = mark_of(file)) marks.emplace(file, *mark);
    }
  }
  return marks;
}

Marks marks_of(const WatchedFolders& folders) {
  Marks marks;
  for (const auto& [folder, entries] : folders) {
    // The size says whether its entries matter; a folder's own times change with each entry.
    if (const auto mark = mark_of(folder)) {
      marks.emplace(
          folder, FileMark{.device = mark->device, .inode = mark->inode, .size = entries ? 1 : 0});
    }
  }
  return marks;
}

}  // namespace helve::os
