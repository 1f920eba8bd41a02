// policy/permit.h
//
// A Permit says what one caller may run; `allow` holds a Command against it and is the only maker
// of an Allowed, the value that process/ accepts. So nothing runs unasked. Pure; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "policy/confinement.h"

namespace helve::policy {

// Resource limits of one process (setrlimit). Nothing set: the host's own limits hold, except that
// no command writes core dumps.
struct Limits {
  std::optional<std::uint64_t> cpu_seconds, memory_bytes, file_bytes, open_files;
  // RLIMIT_NPROC: counts all processes of the user, and not for root.
  std::optional<std::uint64_t> user_processes;
  // Of the whole tree, where there is a cgroup with these controllers; elsewhere without effect.
  std::optional<std::uint64_t> tree_memory_bytes, tree_processes;
  bool operator==(const Limits&) const = default;
};

struct Command {
  std::vector<std::string> argv;  // argv[0] as the command will see it
  std::string program;            // what is executed: a path, or a name that PATH resolves
  std::filesystem::path folder;   // absolute
  // The child's whole set of variables; null shares the host's own, less HELVE_*.
  std::shared_ptr<const std::map<std::string, std::string>> variables;
  Confinement confinement;
};

class Permit {
 public:
  // The owner's own commands: any folder. What a person types or has configured.
  static Permit owner(const Limits& limits = {});
  // Only below `root` (compared lexically, after normalising).
  static Permit below(const std::filesystem::path& root, const Limits& limits = {});

  bool covers(const std::filesystem::path& folder) const;
  const Limits& limits() const { return limits_; }
  // The same with these limits where it has none of its own.
  Permit with_usual(const Limits& usual) const;
  const std::optional<std::filesystem::path>& root() const { return root_; }

 private:
  std::optional<std::filesystem::path> root_;
  Limits limits_;
};

class Allowed {
 public:
  const Command& command() const { return command_; }
  const Limits& limits() const { return limits_; }

 private:
  friend Result<Allowed> allow(const Permit& permit, Command command);
  Allowed(Command command, const Limits& limits) : command_(std::move(command)), limits_(limits) {}
  Command command_;
  Limits limits_;
};

// Refused: policy.folder_outside_root {folder, root}.
Result<Allowed> allow(const Permit& permit, Command command);

}  // namespace helve::policy
