// os/detail/watch_set.h
//
// For FolderWatch: which folders tell of the spots, and what the spots look like now. Looks at the
// disk, changes nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/folder_watch.h"

namespace helve::os {

// Folder to whether its entries matter; false: only that it is moved or deleted itself.
using WatchedFolders = std::map<std::filesystem::path, bool>;
WatchedFolders folders_to_watch(const std::vector<WatchSpot>& spots);

// What a file is, but for its bytes. Any change of it changes the time, which nobody can set back.
struct FileMark {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed_s = 0, changed_ns = 0;
  bool operator==(const FileMark&) const = default;
};

// The files of the spots that are there, by path.
using Marks = std::map<std::filesystem::path, FileMark>;
Marks marks_of(const std::vector<WatchSpot>& spots);

// The folders themselves, to see that one has been replaced by another.
Marks marks_of(const WatchedFolders& folders);

}  // namespace helve::os
