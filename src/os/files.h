// os/files.h
//
// Files, the careful way. Errors carry the reason of the system: file.not_found {path},
// file.unreadable {file, reason}, file.unwritable {file, reason}, file.too_large {path, limit}.
// Blocking; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "os/fd.h"

namespace helve::os {

// The whole file; regular files only (file.not_regular {file}).
Result<std::string> read_file(const std::filesystem::path& file, std::uint64_t limit);

// Replaces the file as a whole or not at all: a temporary beside it, fsync, rename.
Result<void> write_atomic(const std::filesystem::path& file, std::string_view bytes, unsigned mode);

// Writes to what is there already: a pipe, a device. Blocks as that does.
Result<void> append_to(const std::filesystem::path& file, std::string_view bytes);

// Writes all of it, however many calls that takes; 0, or the errno of the one that failed.
int write_all(int fd, std::string_view bytes);

// Creates the folder and what is missing above it, each with mode 0700.
Result<void> make_private_folder(const std::filesystem::path& folder);

// The reason of an errno, as a short sentence without a full stop.
std::string errno_text(int error);

}  // namespace helve::os
