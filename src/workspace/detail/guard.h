// workspace/detail/guard.h
//
// Whether write and edit may change a file, by what the caller has seen of it (WS-80, WS-89,
// WR-17); and how they say no. Pure but for FileChange's lazy version; a worker.
#pragma once

#include "workspace/detail/file_change.h"

namespace helve::workspace {

enum class Standing : std::uint8_t {
  kFree,     // there is nothing that could be lost, or the caller said so
  kSeen,     // whole, and it is the same
  kPartly,   // the same, but only a part of it was seen
  kUnseen,   // nobody has shown it to the session
  kChanged,  // since the session saw it
};

// What the caller says explicitly decides; else what the session knows. Refused: file.exists
// {path, version}, file.changed {path, version, what}, file.version_needed {path, version}.
Result<Standing> standing_of(const FileChange& change, Current& now);

// The file is not what the caller saw, with what differs if that is known.
Refusal changed_since(const FileChange& change, Current& now);

// It changed under each attempt.
Refusal keeps_changing(const FileChange& change);

}  // namespace helve::workspace
