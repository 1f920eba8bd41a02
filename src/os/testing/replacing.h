// os/testing/replacing.h
//
// replace_file on a folder and a name, with what is there now as what is expected.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/replace.h"
#include "os/testing/scratch.h"

namespace helve::os::testing {

inline struct stat status_of(const fs::path& file) {
  struct stat status{};
  ::lstat(file.c_str(), &status);
  return status;
}

inline Result<Replaced> replace_pieces(const fs::path& folder, const std::string& name,
                                       std::span<const std::string_view> pieces,
                                       std::optional<Identity> expected, bool durable = false) {
  const UniqueFd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return replace_file({.folder = fd.get(),
                       .name = name,
                       .shown = name,
                       .pieces = pieces,
                       .expected = expected,
                       .durable = durable});
}

inline Result<Replaced> replace(const fs::path& folder, const std::string& name,
                                std::string_view text, bool durable = false) {
  struct stat status{};
  std::optional<Identity> expected;
  if (::lstat((folder / name).c_str(), &status) == 0) expected = identity_of(status);
  const std::array<std::string_view, 1> pieces = {text};
  return replace_pieces(folder, name, pieces, expected, durable);
}

inline Result<Replaced> replace(const Scratch& folder, const std::string& name,
                                std::string_view text) {
  return replace(folder.path(), name, text);
}

// "replaced", "in place: REASON", or the rule of the refusal.
inline std::string describe(const Result<Replaced>& result) {
  if (!result) return result.error().rule;
  return result->in_place.empty() ? "replaced" : "in place: " + result->in_place;
}

}  // namespace helve::os::testing
