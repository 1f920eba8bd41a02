#include "host/values.h"

#include <algorithm>

#include "base/jsonc.h"
#include "base/text.h"
#include "base/texts.h"
#include "host/detail/fields.h"
#include "os/files.h"
#include "schema/schema.h"

namespace helve::host {
namespace {

constexpr std::uint64_t kMostBytes = 32 * 1024 * 1024;

std::vector<std::string_view> names_of(const ToolConfig& tool) {
  std::vector<std::string_view> names;
  for (const tmpl::Argument& argument : tool.compiled.arguments()) names.push_back(argument.name);
  return names;
}

// Arguments that JSON must be written for; all others take plain text.
bool wants_json(const tmpl::Argument& argument) {
  return argument.type.kind == tmpl::Type::Kind::kArray;
}

std::string placeholder_of(const tmpl::Argument& argument) {
  if (argument.type.kind == tmpl::Type::Kind::kEnum) return join(argument.type.items, "|");
  std::string word = type_text(argument.type);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return word;
}

Result<JsonObject> read_option(const std::string& values, const Surroundings& around) {
  if (values.empty()) return JsonObject();
  std::string json = values;
  if (values.starts_with('@')) {
    auto bytes = os::read_file(absolute(values.substr(1), around), kMostBytes);
    if (!bytes) return std::unexpected(bytes.error());
    json = *std::move(bytes);
  }
  const Result<JsonDocument> document = parse_jsonc(json);
  if (!document) return std::unexpected(document.error());
  if (document->value.is_object()) return document->value.get_object();
  return refuse("run.values_not_an_object", {{"found", std::string(json_kind(document->value))}});
}

struct Word {
  std::string name;
  Json value;
};

Result<Word> read_word(const ToolConfig& tool, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return refuse("run.word_invalid", {{"word", word}, {"shape", call_shape(tool)}});
  }
  if (word[equals - 1] != ':') {
    return Word{.name = word.substr(0, equals), .value = Json(word.substr(equals + 1))};
  }
  std::string name = word.substr(0, equals - 1);
  auto value = parse_json(std::string_view(word).substr(equals + 1));
  if (value) return Word{.name = std::move(name), .value = *std::move(value)};
  return refuse("run.json_invalid",
                {{"argument", name}, {"reason", render(value.error()).message}});
}

Result<void> check_names(const ToolConfig& tool, const JsonObject& values) {
  const std::vector<std::string_view> known = names_of(tool);
  for (const auto& member : values) {
    const std::string_view name = member.key();
    if (std::ranges::find(known, name) != known.end()) continue;
    return refuse("run.unknown_argument", {{"argument", std::string(name)},
                                           {"tool", tool.name},
                                           {"hint", hint(name, known)},
                                           {"shape", call_shape(tool)}});
  }
  for (const tmpl::Argument& argument : tool.compiled.arguments()) {
    const Json* value = find(values, argument.name);
    if (!argument.required || (value != nullptr && !value->is_null())) continue;
    return refuse("run.missing_argument",
                  {{"argument", argument.name}, {"tool", tool.name}, {"shape", call_shape(tool)}});
  }
  return {};
}

std::string example_word(const std::string& name, const Json& value) {
  if (value.is_string()) return shell_quote(name + '=' + std::string(as_text(value)));
  const char* const equals = value.is_array() || value.is_object() ? ":=" : "=";
  return shell_quote(name + equals + write_json(value));
}

}  // namespace

std::string type_text(const tmpl::Type& type) {
  switch (type.kind) {
    case tmpl::Type::Kind::kString:
      return text("type.string");
    case tmpl::Type::Kind::kPath:
      return text("type.path");
    case tmpl::Type::Kind::kInt:
      return text("type.int");
    case tmpl::Type::Kind::kNumber:
      return text("type.number");
    case tmpl::Type::Kind::kBool:
      return text("type.bool");
    case tmpl::Type::Kind::kArray:
      return text("type.array");
    case tmpl::Type::Kind::kEnum:
      return text("type.enum", {{"items", join(type.items, ",")}});
  }
  return "";
}

std::string call_shape(const ToolConfig& tool) {
  std::string shape = "helve run " + (tool.called_as.empty() ? tool.name : tool.called_as);
  for (const tmpl::Argument& argument : tool.compiled.arguments()) {
    const std::string word =
        argument.name + (wants_json(argument) ? ":=" : "=") + placeholder_of(argument);
    shape += argument.required ? ' ' + word : " [" + word + ']';
  }
  return shape;
}

Result<JsonObject> read_values(const ToolConfig& tool, const std::vector<std::string>& words,
                               const std::string& values, const Surroundings& around) {
  Result<JsonObject> all = read_option(values, around);
  if (!all) return all;
  JsonObject typed;
  for (const std::string& text : words) {
    Result<Word> word = read_word(tool, text);
    if (!word) return std::unexpected(word.error());
    if (typed.contains(word->name)) return refuse("run.argument_twice", {{"argument", word->name}});
    typed[word->name] = word->value;
    (*all)[word->name] = std::move(word->value);
  }
  if (const auto checked = check_names(tool, *all); !checked) {
    return std::unexpected(checked.error());
  }
  return all;
}

Json example_call(const ToolConfig& tool) {
  return JsonObject{{"name", tool.name},
                    {"arguments", schema::example(tool.compiled.input_schema())}};
}

std::string example_command(const ToolConfig& tool) {
  std::string command = "helve run " + tool.name;
  const Json arguments = schema::example(tool.compiled.input_schema());
  if (!arguments.is_object()) return command;
  for (const auto& [name, value] : arguments.get_object()) {
    command += ' ' + example_word(std::string(name), value);
  }
  return command;
}

}  // namespace helve::host
