#include "base/jsonc.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"

namespace helve {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

size_t skip_string(std::string_view text, size_t at) {  // `at` is the opening quote
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

void blank(std::string& text, size_t from, size_t to) {
  for (; from < to; ++from) {
    if (text[from] != '\n' && text[from] != '\r') text[from] = ' ';
  }
}

std::string strip_comments(std::string_view source) {
  std::string text(source);
  if (text.starts_with("\xEF\xBB\xBF")) blank(text, 0, 3);
  size_t comma = kNowhere;  // the last comma behind a value, if nothing but blanks came after it
  bool value_before = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      comma = kNowhere;
      value_before = true;
    } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      const size_t end = std::min(text.find('\n', at), text.size());
      blank(text, at, end);
      at = end;
    } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '*') {
      const size_t close = text.find("*/", at + 2);
      if (close == kNowhere) return text;  // the parser refuses it at this place
      blank(text, at, close + 2);
      at = close + 2;
    } else {
      if ((c == '}' || c == ']') && comma != kNowhere) text[comma] = ' ';
      if (c == ',') {
        comma = value_before ? at : kNowhere;
        value_before = false;
      } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
        comma = kNowhere;
        value_before = c != '[' && c != '{';
      }
      ++at;
    }
  }
  return text;
}

// Walks valid JSON text. Decoding a key is left to the parser: a key string is valid JSON.
std::string read_key(std::string_view text, size_t from, size_t to) {
  const auto key = parse_json(text.substr(from, to - from));
  return key && key->is_string() ? std::string(as_text(*key)) : std::string();
}

size_t skip_blanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

size_t skip_value(std::string_view text, size_t at) {
  at = skip_blanks(text, at);
  if (at >= text.size()) return at;
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[')
    return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  size_t depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
    if (depth == 0) return at;
  }
  return at;
}

struct Member {
  size_t place;  // of the key, or of the item
  size_t value;
};

// The member `name` of the object or array that starts at `at`.
std::optional<Member> find_member(std::string_view text, size_t at, std::string_view name) {
  const bool object = text[at] == '{';
  size_t index = 0;
  at = skip_blanks(text, at + 1);
  while (at < text.size() && text[at] != '}' && text[at] != ']') {
    const size_t place = at;
    bool found = false;
    if (object) {
      const size_t key_end = skip_string(text, at);
      found = read_key(text, at, key_end) == name;
      at = skip_blanks(text, skip_blanks(text, key_end) + 1);  // the colon
    } else {
      found = std::to_string(index++) == name;
    }
    if (found) return Member{place, at};
    at = skip_blanks(text, skip_value(text, at));
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
  }
  return std::nullopt;
}

struct Duplicate {
  std::string key;
  size_t offset;
};

std::optional<Duplicate> find_duplicate(std::string_view text) {
  std::vector<std::set<std::string>> open;  // keys of each open object; unused for arrays
  bool key_next = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const size_t end = skip_string(text, at);
      if (key_next) {
        std::string key = read_key(text, at, end);
        if (!open.back().insert(key).second) return Duplicate{std::move(key), at};
        key_next = false;
      }
      at = end;
      continue;
    }
    if (c == '{' || c == '[') open.emplace_back();
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    if (c == '{') key_next = true;
    if (c == '}' || c == '[') key_next = false;
    if (c == ',') {  // in an object a key follows: the object's own brace decides
      key_next = false;
      const size_t next = skip_blanks(text, at + 1);
      if (next < text.size() && text[next] == '"') {
        const size_t colon = skip_blanks(text, skip_string(text, next));
        key_next = colon < text.size() && text[colon] == ':';
      }
    }
    ++at;
  }
  return std::nullopt;
}

std::string unescape_pointer(std::string_view part) {
  std::string out;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size()) {
      out += part[++i] == '0' ? '~' : '/';
    } else {
      out += part[i];
    }
  }
  return out;
}

}  // namespace

Position JsonDocument::locate(std::string_view pointer) const {
  size_t value_at = skip_blanks(text, 0);
  size_t place = value_at;
  if (pointer.empty()) return position_of(text, place);
  for (const std::string_view part : split(pointer.substr(1), '/')) {
    if (value_at >= text.size() || (text[value_at] != '{' && text[value_at] != '[')) break;
    const auto member = find_member(text, value_at, unescape_pointer(part));
    if (!member) break;
    place = member->place;
    value_at = member->value;
  }
  return position_of(text, place);
}

Result<JsonDocument> parse_jsonc(std::string_view source) {
  JsonDocument document{.text = strip_comments(source)};
  auto value = parse_json(document.text);
  if (!value) return std::unexpected(value.error());
  document.value = *std::move(value);
  if (const auto duplicate = find_duplicate(document.text)) {
    const Position at = position_of(document.text, duplicate->offset);
    return refuse("json.duplicate_key", {{"key", duplicate->key},
                                         {"line", std::to_string(at.line)},
                                         {"column", std::to_string(at.column)}});
  }
  return document;
}

}  // namespace helve
