// os/replace.h
//
// Puts new bytes in the place of a file, whole or not at all: whoever reads it, and whatever
// happens meanwhile, finds the old bytes or the new ones. Mode, owner, ACL and attributes stay
// those of the old file. Where a rename would lose something (other hard links, a mount point, an
// owner or ACL that cannot be kept, a folder that cannot be written) the bytes are written in
// place, after all of them lie on the same file system. Blocking; any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::os {

// What tells one state of a file from another without reading it.
struct Identity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  bool operator==(const Identity&) const = default;
};
Identity identity_of(const struct stat& status);

struct Replacement {
  int folder = -1;                           // an open folder
  std::string name;                          // in it: one part, no link
  std::string shown;                         // the path as sentences say it
  std::span<const std::string_view> pieces;  // the new bytes, one after the other
  // What must be there right before the new bytes take its place; nullopt: nothing must be there.
  std::optional<Identity> expected;
  bool durable = false;  // fdatasync the file, fsync the folder
};

struct Replaced {
  Identity now;
  std::string in_place;  // why it was written in place (a key behind "file.in_place."), or ""
};

// Refused: file.changed_meanwhile {path} (`expected` does not hold; nothing was written), and what
// errno_refusal gives.
Result<Replaced> replace_file(const Replacement& replacement);

// Looks up once what replace_file must know of this process; before a fence hides that.
void prepare_replacing();

// Removes temporaries of ours in `folder` that a kill left behind: those older than a minute.
void remove_stale_temporaries(int folder);

// The rule of an errno (WS-21): file.not_found, file.denied, file.read_only, disk.full,
// file.too_large, path.loop, path.too_long, host.busy, file.is_directory, else file.failed
// {path, reason}; all with {path}.
Refusal errno_refusal(int error, std::string_view shown);

}  // namespace helve::os
