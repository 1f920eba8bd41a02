// host/places.h
//
// Where things live (decisions, section 2): the configuration files, the root that tools work in,
// and the state folder outside of it. Looks at the disk, changes nothing. Any thread.
#pragma once

#include <filesystem>
#include <optional>

#include "base/refusal.h"
#include "host/surroundings.h"

namespace helve::host {

// What the command line says about places; empty: nothing.
struct Locations {
  std::filesystem::path root;    // --root
  std::filesystem::path config;  // --config
};

inline constexpr const char* kProjectFile = "helve.json";
inline constexpr const char* kRecipeFolder = "recipes";

// --config; else helve.json in --root; else the nearest one in the current folder or above it, up
// to but not including the home folder and `/`. Empty if there is none. --config need not exist.
std::filesystem::path project_file(const Locations& locations, const Surroundings& around);

// $XDG_CONFIG_HOME/helve/helve.json, by default below ~/.config; empty without a home.
std::filesystem::path user_file(const Surroundings& around);

// --root, else the folder of the project's file, else the current folder; never `/` or a home.
// Refused: workspace.absent {folder}, workspace.not_a_folder {folder}.
Result<std::filesystem::path> find_root(const Locations& locations,
                                        const std::filesystem::path& project,
                                        const Surroundings& around);

// A --root that is no folder is refused before anything is looked for in it.
// Refused: workspace.not_a_folder {folder}.
Result<void> check_root(const Locations& locations, const Surroundings& around);

// $XDG_STATE_HOME/helve/<16 hex digits of the root's real path>; not created here.
std::filesystem::path state_folder(const std::filesystem::path& root, const Surroundings& around);

// Absolute against the current folder and lexically normal, without a slash at the end.
std::filesystem::path absolute(const std::filesystem::path& path, const Surroundings& around);

// The shortest way to say a path: relative if it lies below the current folder.
std::string shown_path(const std::filesystem::path& path, const Surroundings& around);

}  // namespace helve::host
