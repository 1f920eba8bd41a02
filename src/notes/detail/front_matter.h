// notes/detail/front_matter.h
//
// The YAML above the body of a note's file: what stands between its two `---` lines. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::notes {

struct FrontMatter {
  std::string id;  // "": none, or not one of ours
  std::int64_t revision = 0;
  std::optional<std::string> title, summary;
  std::vector<std::string> tags;
  std::string other;  // comments, and whole lines of keys that are not ours
};

// None: it is no YAML, nothing that we take (see yaml_events.h), or says one of our keys twice or
// in another form than ours.
std::optional<FrontMatter> read_front_matter(std::string_view yaml);

// A scalar on one line: in double quotes where any reader of YAML could take it for something else.
std::string yaml_scalar(std::string_view text);

}  // namespace helve::notes
