#include "notes/detail/front_matter.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "notes/detail/yaml_events.h"
#include "notes/note.h"

namespace helve::notes {
namespace {

using Kind = YamlEvent::Kind;

constexpr std::array<std::string_view, 9> kOurs = {
    "id", "revision", "title", "summary", "tags", "created", "updated", "window", "hash"};

bool is_ours(std::string_view key) { return std::ranges::find(kOurs, key) != kOurs.end(); }

struct Value {
  enum class Form { kNone, kText, kList, kOther };
  Form form = Form::kNone;
  std::string text;
  std::vector<std::string> list;
};

// A key with what belongs to it, in bytes of the YAML.
struct Entry {
  std::string key;
  std::size_t begin = 0;
  std::size_t end = 0;  // of its value; what comes then is blank or a comment
  Value value;
};

bool is_null(const YamlEvent& scalar) {
  return scalar.plain &&
         (scalar.text.empty() || scalar.text == "~" || lower_ascii(scalar.text) == "null");
}

class Reader {
 public:
  explicit Reader(std::string_view yaml) : yaml_(yaml), events_(yaml) {}

  // None: broken. Keys stand at the beginning of a line, so that lines can be told apart.
  std::optional<std::vector<Entry>> run() {
    const auto first = events_.next();
    if (!first) return std::nullopt;
    if (first->kind == Kind::kDone) return entries_;
    if (first->kind != Kind::kMapping || first->flow) return std::nullopt;
    for (auto key = events_.next(); key; key = events_.next()) {
      if (key->kind == Kind::kEnd) return ends() ? std::optional(entries_) : std::nullopt;
      if (!begin_entry(*key) || !read_value()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool ends() {
    const auto last = events_.next();
    return last && last->kind == Kind::kDone;
  }

  bool begin_entry(const YamlEvent& key) {
    const bool begins_line = key.begin == 0 || yaml_[key.begin - 1] == '\n';
    if (key.kind != Kind::kScalar || !begins_line || key.end == key.begin) return false;
    entries_.push_back({.key = key.text, .begin = key.begin, .end = key.end});
    return true;
  }

  bool read_value() {
    const auto event = events_.next();
    if (!event) return false;
    reaches(*event);
    Value& value = entries_.back().value;
    if (event->kind == Kind::kScalar) {
      if (is_null(*event)) return true;
      value = {.form = Value::Form::kText, .text = event->text};
      return true;
    }
    value.form = event->kind == Kind::kSequence ? Value::Form::kList : Value::Form::kOther;
    return read_items(event->flow);
  }

  // Texts of a list; anything deeper makes another form of it.
  bool read_items(bool flow) {
    Value& value = entries_.back().value;
    for (std::size_t depth = 1; depth > 0;) {
      const auto event = events_.next();
      if (!event) return false;
      if (event->kind == Kind::kScalar) {
        value.list.push_back(event->text);
      } else if (event->kind == Kind::kEnd) {
        --depth;
      } else {
        ++depth;
        flow = flow || event->flow;
        value.form = Value::Form::kOther;
      }
      if (event->kind == Kind::kScalar || flow) reaches(*event);
    }
    return true;
  }

  // Where something empty stands says nothing: libyaml puts it where the next thing begins. So does
  // the end of a block.
  void reaches(const YamlEvent& event) {
    if (event.end > event.begin) entries_.back().end = std::max(entries_.back().end, event.end);
  }

  std::string_view yaml_;
  YamlEvents events_;
  std::vector<Entry> entries_;
};

// The lines of `text` that are comments.
std::string comments_in(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (trim(text.substr(0, size)).starts_with('#')) out += text.substr(0, size);
    text.remove_prefix(size);
  }
  return out;
}

// Comments come first: there none can become a part of somebody's text.
std::string other_lines(std::string_view yaml, const std::vector<Entry>& entries) {
  const std::size_t first = entries.empty() ? yaml.size() : entries.front().begin;
  std::string comments = comments_in(yaml.substr(0, first)), keys;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::size_t next = i + 1 < entries.size() ? entries[i + 1].begin : yaml.size();
    if (!is_ours(entry.key)) {
      keys += yaml.substr(entry.begin, next - entry.begin);
      continue;
    }
    const std::size_t line_end = std::min(yaml.find('\n', entry.end - 1), next - 1) + 1;
    comments += comments_in(yaml.substr(line_end, next - line_end));
  }
  return comments + keys;
}

// Lists as others write them, too: "a, b".
bool take_tags(const Value& value, std::vector<std::string>& tags) {
  if (value.form == Value::Form::kOther) return false;
  tags = value.list;
  if (value.form != Value::Form::kText) return true;
  for (const std::string_view part : split(value.text, ',')) {
    if (const std::string_view tag = trim(part); !tag.empty()) tags.emplace_back(tag);
  }
  return true;
}

bool take_text(const Value& value, std::optional<std::string>& text) {
  if (value.form == Value::Form::kText) text = value.text;
  return value.form <= Value::Form::kText;
}

// An id that others gave, or a revision that is no number, says nothing to us.
void take_id(const Value& value, std::string& id) {
  const auto ref = parse_ref(value.text);
  if (ref && !ref->revision) id = ref->id;
}

void take_revision(const Value& value, std::int64_t& revision) {
  const char* const end = value.text.data() + value.text.size();
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(value.text.data(), end, number);
  if (error == std::errc() && at == end && number > 0) revision = number;
}

bool take(const Entry& entry, FrontMatter& out) {
  const Value& value = entry.value;
  if (entry.key == "title") return take_text(value, out.title);
  if (entry.key == "summary") return take_text(value, out.summary);
  if (entry.key == "tags") return take_tags(value, out.tags);
  if (entry.key == "id") take_id(value, out.id);
  if (entry.key == "revision") take_revision(value, out.revision);
  return true;  // the rest is for readers: the store knows it
}

bool says_twice(const std::vector<Entry>& entries) {
  return std::ranges::any_of(kOurs, [&](std::string_view key) {
    return std::ranges::count(entries, key, &Entry::key) > 1;
  });
}

}  // namespace

std::optional<FrontMatter> read_front_matter(std::string_view yaml) {
  const auto entries = Reader(yaml).run();
  if (!entries || says_twice(*entries)) return std::nullopt;
  FrontMatter out{.other = other_lines(yaml, *entries)};
  for (const Entry& entry : *entries) {
    if (!take(entry, out)) return std::nullopt;
  }
  return out;
}

}  // namespace helve::notes
