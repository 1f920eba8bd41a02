// workspace/detail/tree.h
//
// A folder as a list of what is in it, cheap to make and to compare; and a read-only copy of it,
// with the hash over what was copied. Links that lead out, and all that is neither file, folder nor
// link, are not part of it. Blocking; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/refusal.h"

namespace helve::workspace::detail {

struct TreeEntry {
  enum class Kind : char { kFile = 'f', kFolder = 'd', kLink = 'l' };
  Kind kind = Kind::kFile;
  std::string name;  // relative to the folder
  std::string link;  // a link's target, below the folder and relative to where the link is
  bool executable = false;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0, modified_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const TreeEntry&) const = default;
};

struct Tree {
  std::vector<TreeEntry> entries;  // by name
  std::int64_t newest_ns = 0;      // the latest change of all
  bool operator==(const Tree&) const = default;
};

// `prefix`: an absolute path that means `folder` in links. Refused: env.unreadable.
Result<Tree> look_at_tree(const std::filesystem::path& folder, const std::string& prefix);

// The hash over names, modes and contents, 12 hex digits. Refused: env.unreadable.
Result<std::string> hash_tree(const std::filesystem::path& folder, const Tree& tree);

// Copies the tree into an empty folder, and gives the hash of the copy. Files are then 0444 or
// 0555, folders 0555. Refused: env.unreadable, disk.full and the like.
Result<std::string> copy_tree(const std::filesystem::path& from, const Tree& tree,
                              const std::filesystem::path& to);

void remove_tree(const std::filesystem::path& folder);  // also where it is read-only

std::unexpected<Refusal> refuse_unreadable(const std::filesystem::path& path, int error);

}  // namespace helve::workspace::detail
