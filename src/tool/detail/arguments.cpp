#include "tool/detail/arguments.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

constexpr size_t kMostProblems = 5;

// The part of the schema that describes the place `pointer` of an instance; null if it is not told
// by `properties` and `items` alone.
const Json* declared_at(const Json& schema, std::string_view pointer) {
  const Json* at = &schema;
  const auto keys = split(pointer, '/');
  for (size_t i = 1; i < keys.size() && at != nullptr; ++i) {
    const Json* properties = find(*at, "properties");
    const Json* member = properties == nullptr ? nullptr : find(*properties, keys[i]);
    at = member != nullptr ? member : find(*at, "items");
  }
  return at;
}

// What the schema wants at a place: its types or its allowed values; empty if it says neither.
std::string expected_at(const Json& schema, std::string_view pointer) {
  const Json* declared = declared_at(schema, pointer);
  if (declared == nullptr) return "";
  if (const Json* allowed = find(*declared, "enum")) return write_json(*allowed);
  if (const auto type = find_text(*declared, "type")) return std::string(*type);
  return "";
}

// What a caller made up comes back in a sentence, but not megabytes of it.
std::string shortened(const std::string& said, size_t most) {
  return said.size() <= most ? said : said.substr(0, utf8_floor(said, most)) + "...";
}

struct Problem {
  std::string field;     // JSON pointer
  std::string expected;  // may be empty
  std::string message;
};

// "url (expected: string): ..."; the arguments as a whole have no name of their own.
std::string sentence_of(const Problem& problem) {
  const bool whole = problem.field.empty();
  return text(problem.expected.empty() || whole ? "tool.problem_plain" : "tool.problem",
              {{"field", whole ? text("tool.arguments") : problem.field.substr(1)},
               {"expected", problem.expected},
               {"problem", problem.message}});
}

void shorten(std::vector<Problem>& problems) {
  for (Problem& problem : problems) {
    problem.field = shortened(problem.field, 200);
    problem.message = shortened(problem.message, 1000);
  }
}

Refusal invalid(const Tool& tool, const std::vector<Problem>& problems) {
  JsonArray violations;
  std::vector<std::string> sentences;
  for (const Problem& problem : problems) {
    sentences.push_back(sentence_of(problem));
    violations.push_back(JsonObject{{"field", problem.field}, {"expected", problem.expected}});
  }
  return {"args.invalid",
          {{"tool", tool.name},
           {"problems", join(sentences, "; ")},
           {"example",
            write_json(tool.example.is_null() ? schema::example(tool.input) : tool.example)}},
          JsonObject{{"violations", std::move(violations)}}};
}

// What a place must have and has not, each by its own name and type.
void add_missing(std::vector<Problem>& problems, const Json& schema, const Json& sent,
                 const std::string& pointer) {
  const Json* declared = declared_at(schema, pointer);
  const Json* required = declared == nullptr ? nullptr : find(*declared, "required");
  boost::system::error_code error;
  const Json* place = sent.find_pointer(pointer, error);
  if (required == nullptr || !required->is_array() || place == nullptr) return;
  for (const Json& key : required->get_array()) {
    if (find(*place, as_text(key)) != nullptr) continue;
    const std::string field = pointer_to(pointer, as_text(key));
    if (std::ranges::any_of(problems, [&](const Problem& known) { return known.field == field; })) {
      continue;
    }
    problems.push_back({field, expected_at(schema, field), text("tool.missing")});
  }
}

bool is_secret(const Tool& tool, std::string_view pointer) {
  const std::string_view name = split(pointer.substr(pointer.empty() ? 0 : 1), '/').front();
  return std::ranges::find(tool.secret, name) != tool.secret.end();
}

// The tool's own reading, once everything that it requires is there.
Result<JsonObject> own_reading(const Tool& tool, const JsonObject& sent) {
  if (const Json* required = find(tool.input, "required");
      required != nullptr && required->is_array()) {
    for (const Json& key : required->get_array()) {
      const Json* value = find(sent, as_text(key));
      if (value == nullptr || value->is_null()) return refuse("args.invalid");
    }
  }
  // A list or an object where the schema has a text is a host's mistake, not another form of it.
  for (const auto& [name, value] : sent) {
    const bool structured = value.is_array() || value.is_object();
    if (structured && expected_at(tool.input, pointer_to("", name)) == "string") {
      return refuse("args.invalid");
    }
  }
  return tool.read(sent);
}

std::vector<Problem> problems_of(const Tool& tool, const schema::Schema& schema, const Json& sent) {
  std::vector<Problem> problems;
  for (const schema::Violation& violation : schema.validate(sent, kMostProblems)) {
    const size_t before = problems.size();
    if (violation.keyword == "required") {
      add_missing(problems, tool.input, sent, violation.instance);
      if (problems.size() > before) continue;
    }
    problems.push_back(
        {violation.instance, expected_at(tool.input, violation.instance),
         is_secret(tool, violation.instance) ? text("tool.secret_problem") : violation.message});
  }
  return problems;
}

// Hosts send the object as text, too (R9). Otherwise what is wrong with it.
std::string unwrap(Json& sent) {
  if (sent.is_string()) {
    const std::string_view written = trim(as_text(sent));
    auto parsed = written.empty() ? Json(JsonObject()) : parse_json(written, HalfPairs::kRefused);
    if (!parsed && parsed.error().rule == "json.half_pair") return render(parsed.error()).message;
    if (parsed && parsed->is_object()) sent = *std::move(parsed);
  }
  if (sent.is_null()) sent = JsonObject();
  if (sent.is_object()) return "";
  return text("tool.not_an_object", {{"kind", std::string(json_kind(sent))}});
}

}  // namespace

Result<JsonObject> read_arguments(const Tool& tool, const schema::Schema& schema, Json sent) {
  if (const std::string problem = unwrap(sent); !problem.empty()) {
    return std::unexpected(invalid(tool, {{"", "object", problem}}));
  }
  if (schema.accepts(sent)) return std::move(sent.get_object());
  if (tool.read) {
    if (auto values = own_reading(tool, sent.get_object())) return values;
  }
  sent = schema::coerce(tool.input, sent);
  auto problems = problems_of(tool, schema, sent);
  shorten(problems);
  if (!problems.empty()) return std::unexpected(invalid(tool, problems));
  return std::move(sent.get_object());
}

}  // namespace helve::tool
