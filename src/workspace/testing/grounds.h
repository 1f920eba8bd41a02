// workspace/testing/grounds.h
//
// Tests only: folders on a disk of their own for what opens paths: a workspace, another root, a
// folder outside of both, an environment.
#pragma once

#include <string>

#include "os/testing/scratch.h"
#include "workspace/paths.h"
#include "workspace/settings.h"

namespace helve::workspace::testing {

struct Grounds {
  explicit Grounds(Reach reach = Reach::kRoots) {
    for (const char* folder : {"work", "more", "outside", "env", "state"}) {
      std::filesystem::create_directories(scratch / folder);
    }
    settings.root = scratch / "work";
    settings.reach = reach;
    settings.roots = {scratch / "more"};
    settings.configuration = {scratch / "work/helve.json", scratch / "work/recipes",
                              scratch / "work/.helve"};
    settings.environment = EnvironmentFolder{.prefix = "/env", .folder = scratch / "env"};
    settings.state = scratch / "state";
  }

  os::testing::Scratch scratch;
  Settings settings;
};

// The text of the file, or the rule of the refusal.
inline std::string describe_open(const Paths& paths, std::string_view path) {
  const Result<Place> place = paths.resolve(path);
  if (!place) return place.error().rule;
  const Result<Opened> opened = paths.open(*place);
  if (!opened) return opened.error().rule;
  std::string text(4096, '\0');
  const ssize_t got = ::pread(opened->fd.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// Where a write would go, below the grounds; "new" if nothing is there. Or the rule.
inline std::string describe_target(const Grounds& grounds, const Paths& paths,
                                   std::string_view path, bool create_parents = true) {
  const Result<Place> place = paths.resolve(path);
  if (!place) return place.error().rule;
  const Result<Target> target = paths.target(*place, create_parents);
  if (!target) return target.error().rule;
  std::string said = target->path.lexically_relative(grounds.scratch.path()).string();
  if (!target->there) said += " new";
  if (target->made.count() > 0) said += " +" + std::to_string(target->made.count());
  return said;
}

}  // namespace helve::workspace::testing
