// tool/detail/daemon_mark.h
//
// What the marks of all commands of one daemon begin with, written down before the first of them
// runs as FOLDER/daemon-PID-START.mark: a later daemon finds by it what is left of them, also of
// those that nothing else tells of because their calls were never answered (WS-61). Blocking; any
// thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace helve::tool {

// Of this process. The folder is made. What cannot be written is left out: a disk that is full does
// not keep commands from running.
void note_daemon(const std::filesystem::path& folder, const std::string& marks);
void forget_daemon(const std::filesystem::path& folder);

// Those of daemons that are gone; their files go.
std::vector<std::string> take_lost_daemons(const std::filesystem::path& folder);

}  // namespace helve::tool
