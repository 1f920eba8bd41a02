// workspace/knowledge.h
//
// What one session has seen of files, so that `write` and `edit` can tell it what changed since
// (WS-75, WS-80). Kept with the session (tool::Session::record<Knowledge>()); a session that does
// not remember has none. Loop thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace helve::workspace {

struct Seen {
  std::string version;
  bool whole = false;  // every line was shown, or it was written by this session
  // From 1, what was shown last and all pages that join it without a gap; 0: none.
  std::uint64_t first_line = 0, last_line = 0;
  // The bytes as they were, for a diff, where they are few enough to be kept.
  std::optional<std::string> bytes;
};

class Knowledge {
 public:
  static constexpr std::size_t kMostBytesOfFile = 256 * 1024;
  static constexpr std::size_t kMostBytes = 8 * 1024 * 1024;  // of all that is kept for diffs
  static constexpr std::size_t kMostFiles = 2'000;            // then the longest unused goes

  const Seen* find(const std::filesystem::path& real_path);
  void saw(const std::filesystem::path& real_path, Seen seen);

 private:
  struct Entry {
    std::filesystem::path path;
    Seen seen;
  };
  std::list<Entry> entries_;  // the latest used first
  std::map<std::filesystem::path, std::list<Entry>::iterator> by_path_;
  std::size_t bytes_ = 0;
};

}  // namespace helve::workspace
