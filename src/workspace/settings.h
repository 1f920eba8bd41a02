// workspace/settings.h
//
// What the owner decides about one workspace. Plain values; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "policy/confinement.h"

namespace helve::workspace {

// Where the file tools may go: wherever the process may, or only below the workspace and `roots`.
enum class Reach : std::uint8_t { kOpen, kRoots };

// What `write` does about content that this session has not seen (WS-80).
enum class Guard : std::uint8_t { kOff, kKnown, kStrict };

// A read-only folder that is seen at a prefix (WS-17).
struct EnvironmentFolder {
  std::string prefix;  // "/env": absolute, normal, not "/"
  std::filesystem::path folder;
  bool operator==(const EnvironmentFolder&) const = default;
};

struct BashSettings {
  std::string shell;  // an absolute path
  // The whole set of variables of a command (WS-30, WS-31), less what differs from call to call.
  std::map<std::string, std::string> variables;
  Duration kill_after_call = std::chrono::hours(24);  // of a job that outlives its call
  std::uint64_t output_bytes = 1ULL << 30;            // more than that ends a job (WS-34)
  bool operator==(const BashSettings&) const = default;
};

struct Settings {
  std::filesystem::path root;  // the workspace: absolute, its real path
  Reach reach = Reach::kOpen;
  std::vector<std::filesystem::path> roots;  // beside the workspace, for kRoots; absolute
  // Below these nothing is written (path.configuration); absolute.
  std::vector<std::filesystem::path> configuration;
  std::optional<EnvironmentFolder> environment;
  std::filesystem::path state;  // the project's state folder, outside the workspace

  std::size_t read_limit = 400, read_cap = 500;  // lines of one page
  std::size_t inline_bytes = 30'000;             // of output in one answer (WS-24)
  bool offers_read = true;                       // so that a path of a spill is of use (WS-26)
  Guard guard = Guard::kKnown;
  bool durable = false;   // WS-82
  bool edit_all = false;  // edit replaces every occurrence unless told otherwise (WS-85)

  BashSettings bash;
  policy::Confinement confinement;  // of bash
  bool operator==(const Settings&) const = default;
};

}  // namespace helve::workspace
