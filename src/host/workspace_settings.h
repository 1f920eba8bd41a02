// host/workspace_settings.h
//
// The settings of the workspace tools, put together from the configuration and what is found here.
// Blocking; any thread.
#pragma once

#include <filesystem>

#include "host/config.h"
#include "workspace/settings.h"

namespace helve::host {

// `usual`: the reach where the configuration names none. Nothing is written.
workspace::Settings workspace_settings(const Config& config, const std::filesystem::path& root,
                                       const Surroundings& around, workspace::Reach usual);

// What a template tool is fenced in by: as configured, with the root and the temporary folder.
policy::Confinement confinement_of(const policy::Confinement& configured,
                                   const std::filesystem::path& root, const Surroundings& around);

// The program that commands get as their editor (WS-30), written where the settings name it.
// Refused: file.unwritable {file, reason}.
Result<void> write_refusing_editor(const std::filesystem::path& state);

bool is_offered(const Config& config, std::string_view tool);  // bash, read, write, edit

}  // namespace helve::host
