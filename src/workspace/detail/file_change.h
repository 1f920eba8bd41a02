// workspace/detail/file_change.h
//
// What write and edit have in common: one call's way to the file that it changes. The calls on one
// file come one after the other (WS-90, WS-92); if a program that knows no lock changes the file in
// between, the work is done again, once (WS-91); what the session then knows of the file is kept
// (WS-80). A call that has begun to write is not cancelled (WS-7).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tool/tool.h"
#include "workspace/knowledge.h"
#include "workspace/workspace.h"

namespace helve::workspace {

inline constexpr std::uint64_t kMostEdited = 64ULL << 20;  // bytes of a file (WS-83)

// The file as it is right now.
struct Current {
  bool there = false;
  std::uint64_t size = 0;
  std::optional<std::string> bytes;  // of a file of at most kMostEdited
  std::string version;               // filled by FileChange::version_of
};

struct FileChange {
  std::shared_ptr<Workspace> workspace;
  Place place;
  bool create = false;                 // a missing file, and missing folders
  bool remembers = false;              // the session does
  std::optional<std::string> version;  // that the caller wants to find
  std::optional<Seen> seen;            // by this session
  Target target;                       // opened anew for each attempt
  os::MadeFolders made;                // for it
  std::optional<Seen> learned;         // what the session has seen of it afterwards

  Result<void> open();
  // Refused: os::errno_refusal's.
  Result<Current> read() const;
  const std::string& version_of(Current& now) const;
  bool wants_a_version() const { return version && *version != "any" && *version != "absent"; }
  // The folders that were made for a file that is not there after all go again.
  void give_up() { made.remove(target.folder.get()); }
  // Refused: what os::replace_file refuses.
  Result<os::Replaced> replace(std::span<const std::string_view> pieces);
};

// On a worker; must not keep anything.
using ChangeWork = std::function<Result<tool::Answer>(FileChange&)>;

// Refused: file.busy, file.changed, edit.cancelled {path}, what Paths and `work` refuse.
boost::asio::awaitable<Result<tool::Answer>> change_file(std::shared_ptr<Workspace> workspace,
                                                         tool::Call& call, bool create,
                                                         ChangeWork work);

}  // namespace helve::workspace
