// workspace/version.h
//
// The version of a file: the first 12 hex digits of the SHA-256 of its bytes; above 64 MiB, "w:"
// and 12 digits over what the file system says of it (WS-68). Blocking where it reads; any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/refusal.h"

namespace helve::workspace {

inline constexpr std::uint64_t kMostHashed = 64ULL * 1024 * 1024;

std::string version_of(std::string_view bytes);
std::string version_of(const struct stat& status);
std::string version_of(Sha256 digest);  // of the bytes that it took in

// Of an open file, from its beginning, whatever its offset. Refused: os::errno_refusal's.
Result<std::string> version_of_file(int fd, const struct stat& status, std::string_view shown);

}  // namespace helve::workspace
