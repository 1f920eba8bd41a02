// workspace/paths.h
//
// From the path that a tool was given to an open file: what may be touched, and that it is a
// regular file. What words decide is decided on words (resolve); what the disk decides is decided
// on descriptors that are then used, so that nothing can be swapped in between (WS-18, WS-20 to
// WS-23). resolve is pure; the rest blocks. Any thread.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "os/fd.h"
#include "os/made_folders.h"
#include "os/replace.h"
#include "workspace/settings.h"

namespace helve::workspace {

struct Place {
  std::filesystem::path path;  // absolute, lexically normal: what the tool was given, resolved
  std::string shown;           // as sentences and next calls say it: relative below the workspace
  bool in_environment = false;
};

// A regular file, open for reading and not blocking.
struct Opened {
  os::UniqueFd fd;
  struct stat status{};
};

// Where a write goes: the last link followed, the folder held open.
struct Target {
  os::UniqueFd folder;
  std::string name;
  std::filesystem::path path;   // its real path: the key for locks and knowledge
  std::optional<Opened> there;  // what is there now
  os::MadeFolders made;         // the last of them is `folder`
};

class Paths {
 public:
  // Opens the roots. A root that is missing refuses each call, not this. Without openat2 (an old
  // kernel, a strict container) paths are walked part by part; that is found out by itself.
  explicit Paths(const Settings& settings, bool use_openat2 = true);
  ~Paths();
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;

  // Refused: path.empty, path.nul, path.too_long, path.tilde {path}, path.outside {path, roots} (by
  // its words).
  Result<Place> resolve(std::string_view path) const;

  // Refused: path.outside (by a link), file.not_found {path, missing, near}, file.is_directory
  // {path, entries; details.entries: at most 40 names}, file.special {path, kind}, and
  // os::errno_refusal's.
  Result<Opened> open(const Place& place) const;

  // For write and edit. Creates missing parents if told to, which go again if it is refused; later
  // that is for who has the target. Refused: env.readonly_path {path},
  // path.configuration {path}, and what open refuses; there being no file is no refusal.
  Result<Target> target(const Place& place, bool create_parents) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace helve::workspace
