// policy/confinement.h
//
// How far a command is fenced in by the kernel. `paths`: it may read everywhere and write below
// `writable` only, can gain no privileges and reach no dangerous system calls. `full`: besides, it
// sees only its own processes, and a read-only file system around `writable`. What the kernel
// lacks is refused where the command would start (process/), never left out. Values; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace helve::policy {

enum class Confine : std::uint8_t {
  kNone,
  kPaths,
  kFull,
  kBest
};  // best: the strongest that works

struct Confinement {
  Confine level = Confine::kNone;
  std::vector<std::filesystem::path> writable;  // absolute; /dev/null and the like always are
  bool network = true;  // false: no socket to the network (needs kPaths or more)
  // kFull: this folder is seen, read-only, at this place.
  struct Bind {
    std::filesystem::path folder, at;
    bool operator==(const Bind&) const = default;
  };
  std::optional<Bind> bind;
  bool operator==(const Confinement&) const = default;
};

std::optional<Confine> confine_of(std::string_view word);  // none, paths, full, best
std::string_view name_of(Confine level);

}  // namespace helve::policy
