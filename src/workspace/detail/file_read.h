// workspace/detail/file_read.h
//
// What `read` finds out about one open file: its kind, its version, the page that was asked for, or
// the bytes of an image. Blocking; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "workspace/pages.h"
#include "workspace/paths.h"

namespace helve::workspace {

inline constexpr std::uint64_t kMostImage = 5ULL * 1024 * 1024;
inline constexpr std::size_t kMostUnsized = 1024 * 1024;  // of a file that reports no size

struct FileRead {
  std::string shown;  // the path
  TextKind kind;
  std::string type;   // media type of an image; "": a text
  std::string image;  // its bytes
  Page page;          // of a text
  std::string version;
  std::uint64_t size = 0;
  std::optional<std::string> bytes;  // of the whole file, where it is small
  bool unstable = false;             // the file changed while it was read
  bool beginning = false;            // it reports no size, and has more than kMostUnsized
  std::filesystem::path real_path;
};

// Refused: file.binary {path, size, type, quoted}, read_page's, Source::at's.
Result<FileRead> read_opened(const Opened& opened, const std::string& shown, LineIndexes& indexes,
                             const PageRequest& request, const std::atomic<bool>* stopped);

}  // namespace helve::workspace
