// os/beneath.h
//
// Follows a path part by part, on descriptors: no part is a link that was not looked at, and none
// leaves the roots, whatever is swapped meanwhile. A link may lead from one root into another.
// openat2 does the common case in one call (open_beneath); the walk does the rest, tells where a
// path ends, and makes folders. What the parts may be is for the caller to say. Blocking; any
// thread.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/made_folders.h"

namespace helve::os {

struct Root {
  std::string path;   // absolute, normal, without links
  std::string alias;  // another absolute path that means the same, in links; or ""
  int fd = -1;        // borrowed
};

// The root that covers an absolute, normal path, and the part below it; the longest wins.
struct Covered {
  const Root* root = nullptr;  // null: none does
  std::string below;           // "": the root itself
};
Covered cover(std::span<const Root> roots, std::string_view path);

// True for `folder` itself and all below it; both absolute and normal.
bool is_below(std::string_view path, std::string_view folder);

// Absolute, without ".", ".." and double slashes, by its words alone.
std::string normal_path(std::string_view path);

struct Walk {
  std::span<const Root> roots;
  const Root* from = nullptr;
  std::string_view below;       // of `from`; relative
  bool create_folders = false;  // those of `below` that are missing; never those that a link names
  // Asked before each step, also before a folder is made; `child` is null if nothing is there.
  struct Step {
    const std::string& folder_path;
    int folder;
    const std::string& name;
    const struct stat* child;
  };
  std::function<bool(const Step&)> allowed;
};

struct Found {
  UniqueFd folder;   // O_PATH; none if the path is a folder that was reached by ".." or a root
  std::string name;  // in it
  std::string path;  // absolute, without links
  UniqueFd there;    // O_PATH; none: nothing is there (only the last part may be missing)
  struct stat status{};
  MadeFolders made;
};

// Where it ended. What it had made is gone again.
struct Stopped {
  enum class Why { kError, kOutside, kForbidden };
  Why why = Why::kError;
  int error = 0;
  UniqueFd folder;  // O_PATH, where the part `name` is missing or wrong
  std::string name;
  std::string path;  // of the folder, absolute
};

std::expected<Found, Stopped> walk(const Walk& walk);

// O_PATH; none, with errno, if it is not there or is not reached by way of this root alone. A null
// root: any path, absolute.
UniqueFd open_beneath(const Root* root, const std::string& below);

}  // namespace helve::os
