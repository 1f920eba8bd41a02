// os/limits.h
//
// How many files this process may have open. A server wants one for each of its clients; commands
// that it runs get the limit that it began with, since some close every descriptor that there could
// be. Once, at the start; then any thread.
#pragma once

#include <sys/resource.h>

#include <optional>

namespace helve::os {

// Raises the soft limit to the hard one.
void raise_open_files();

// The limits from before that; nullopt if it was not raised.
std::optional<rlimit> open_files_before();

}  // namespace helve::os
