#include "notes/detail/yaml_events.h"

#include "base/check.h"
#include "base/text.h"

namespace helve::notes {
namespace {

constexpr std::size_t kDeepest = 16;

using Kind = YamlEvent::Kind;

YamlEvent scalar(const yaml_event_t& event) {
  const auto& data = event.data.scalar;
  return {.kind = Kind::kScalar,
          .text = std::string(reinterpret_cast<const char*>(data.value), data.length),
          .plain = data.style == YAML_PLAIN_SCALAR_STYLE};
}

// That is not taken, whatever stands in it.
bool is_marked(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_SCALAR_EVENT:
      return event.data.scalar.anchor != nullptr || event.data.scalar.tag != nullptr;
    case YAML_SEQUENCE_START_EVENT:
      return event.data.sequence_start.anchor != nullptr ||
             event.data.sequence_start.tag != nullptr;
    case YAML_MAPPING_START_EVENT:
      return event.data.mapping_start.anchor != nullptr || event.data.mapping_start.tag != nullptr;
    case YAML_DOCUMENT_START_EVENT:
      return event.data.document_start.implicit == 0;
    case YAML_DOCUMENT_END_EVENT:
      return event.data.document_end.implicit == 0;
    default:
      return event.type == YAML_ALIAS_EVENT;
  }
}

bool is_of_the_stream(yaml_event_type_t type) {
  return type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
         type == YAML_DOCUMENT_END_EVENT;
}

// Gives back what libyaml allocated for an event.
struct Owned {
  yaml_event_t event{};
  Owned() = default;
  ~Owned() { yaml_event_delete(&event); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

}  // namespace

YamlEvents::YamlEvents(std::string_view text) : text_(text) {
  HELVE_CHECK(yaml_parser_initialize(&parser_) == 1);
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
}

YamlEvents::~YamlEvents() { yaml_parser_delete(&parser_); }

std::optional<YamlEvent> YamlEvents::next() {
  for (;;) {
    Owned owned;
    if (yaml_parser_parse(&parser_, &owned.event) == 0 || is_marked(owned.event)) {
      return std::nullopt;
    }
    if (is_of_the_stream(owned.event.type)) continue;
    std::optional<YamlEvent> out = read(owned.event);
    if (!out) return out;
    out->begin = byte_of(owned.event.start_mark.index);
    out->end = byte_of(owned.event.end_mark.index);
    return out;
  }
}

std::optional<YamlEvent> YamlEvents::read(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_SCALAR_EVENT:
      return scalar(event);
    case YAML_SEQUENCE_START_EVENT:
      if (!enter()) return std::nullopt;
      return YamlEvent{.kind = Kind::kSequence,
                       .flow = event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE};
    case YAML_MAPPING_START_EVENT:
      if (!enter()) return std::nullopt;
      return YamlEvent{.kind = Kind::kMapping,
                       .flow = event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE};
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      --depth_;
      return YamlEvent{.kind = Kind::kEnd};
    default:
      return YamlEvent{.kind = Kind::kDone};
  }
}

bool YamlEvents::enter() { return ++depth_ <= kDeepest; }

std::size_t YamlEvents::byte_of(std::size_t character) {
  for (; character_ < character && byte_ < text_.size(); ++character_) {
    next_code_point(text_, byte_);
  }
  for (; character_ > character; --character_) {
    do {
      --byte_;
    } while (continues_character(text_[byte_]));
  }
  return byte_;
}

}  // namespace helve::notes
