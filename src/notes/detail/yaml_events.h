// notes/detail/yaml_events.h
//
// The events of a piece of YAML, for a reader that trusts nobody: no aliases, anchors, tags,
// directives or second documents, nothing nested deeper than 16, so that nothing can be expanded.
// Places are in bytes of the text. Pure; the text has to outlive it.
#pragma once

#include <yaml.h>

#include <optional>
#include <string>
#include <string_view>

namespace helve::notes {

struct YamlEvent {
  enum class Kind { kScalar, kSequence, kMapping, kEnd, kDone };
  Kind kind = Kind::kDone;  // kEnd: of a sequence or mapping; kDone: of all
  std::string text;         // of a scalar
  bool plain = false;       // a scalar without quotes
  bool flow = false;        // [] or {}
  std::size_t begin = 0, end = 0;
};

class YamlEvents {
 public:
  explicit YamlEvents(std::string_view text);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  std::optional<YamlEvent> next();  // none: broken, or something that is not taken; ask no further

 private:
  std::optional<YamlEvent> read(const yaml_event_t& event);
  bool enter();
  std::size_t byte_of(std::size_t character);

  std::string_view text_;
  yaml_parser_t parser_;
  std::size_t depth_ = 0;
  std::size_t character_ = 0,
              byte_ = 0;  // libyaml counts characters: where its count was last asked
};

}  // namespace helve::notes
