#include "host/detail/fields.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/texts.h"
#include "policy/policy.h"

namespace helve::host {
namespace {

constexpr Field kFileFields[] = {
    {"$schema", Shape::kText},     {"tools", Shape::kObject},  {"env", Shape::kVariables},
    {"secrets", Shape::kTextList}, {"limits", Shape::kObject}, {"jobs", Shape::kPositive},
    {"policy", Shape::kObject},    {"serve", Shape::kObject},  {"workspace", Shape::kObject},
};
constexpr Field kWorkspaceFields[] = {
    {"tools", Shape::kTextList},
    {"paths", Shape::kReach},
    {"roots", Shape::kTextList},
    {"environment", Shape::kObject},
    {"shell", Shape::kText},
    {"env", Shape::kTextList},
    {"confine", Shape::kConfine},
    {"guard", Shape::kGuard},
    {"durable", Shape::kBool},
    {"edit_all", Shape::kBool},
    {"read_limit", Shape::kPositive},
    {"read_cap", Shape::kPositive},
    {"inline_bytes", Shape::kPositive},
    {"kill_after_s", Shape::kPositive},
    {"stop_grace_ms", Shape::kNatural},
    {"output_bytes", Shape::kPositive},
};
constexpr Field kConfineFields[] = {
    {"level", Shape::kConfine}, {"network", Shape::kBool}, {"writable", Shape::kTextList}};
constexpr Field kPolicyFields[] = {
    {"profile", Shape::kProfile}, {"labels", Shape::kVerdicts}, {"tools", Shape::kVerdicts}};
constexpr Field kServeFields[] = {
    {"listen", Shape::kText}, {"hosts", Shape::kTextList}, {"origins", Shape::kTextList}};
constexpr Field kLimitFields[] = {
    {"template_bytes", Shape::kPositive}, {"words", Shape::kPositive},
    {"depth", Shape::kPositive},          {"nodes", Shape::kPositive},
    {"argument_bytes", Shape::kPositive}, {"pipe_bytes", Shape::kPositive},
    {"spill_bytes", Shape::kPositive},    {"total_bytes", Shape::kPositive},
    {"plan_bytes", Shape::kPositive},     {"cpu_seconds", Shape::kPositive},
    {"memory_bytes", Shape::kPositive},   {"file_bytes", Shape::kPositive},
    {"open_files", Shape::kPositive},     {"wait_ms", Shape::kPositive},
    {"session_jobs", Shape::kPositive},
};
constexpr Field kHostFields[] = {
    {"description", Shape::kText}, {"arg_descriptions", Shape::kTextMap},
    {"secret", Shape::kTextList},  {"env", Shape::kVariables},
    {"cwd", Shape::kText},         {"empty_args", Shape::kEmptyArgs},
    {"$schema", Shape::kText},     {"title", Shape::kText},
    {"read_only", Shape::kBool},   {"destructive", Shape::kBool},
    {"idempotent", Shape::kBool},  {"open_world", Shape::kBool},
    {"deferred", Shape::kBool},    {"detach", Shape::kBool},
    {"prompt", Shape::kBool},      {"confine", Shape::kConfine},
};
constexpr Field kPortableFields[] = {
    {"template", Shape::kTemplate}, {"label", Shape::kTemplate},   {"parallel", Shape::kTemplate},
    {"when", Shape::kTemplate},     {"args", Shape::kTemplate},    {"defaults", Shape::kTemplate},
    {"timeout", Shape::kTemplate},  {"delay", Shape::kTemplate},   {"output", Shape::kTemplate},
    {"retry", Shape::kTemplate},    {"failure", Shape::kTemplate}, {"recover", Shape::kTemplate},
    {"repeat", Shape::kTemplate},
};
constexpr std::array<std::string_view, 6> kForeignFields = {
    "concurrency", "min_successful", "accept_output", "async", "imports", "values"};
constexpr std::array<std::string_view, 4> kRetiredFields = {"pipe", "critical", "mode", "command"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr size_t kShown = 40;  // bytes of a wrong text

bool is_positive(const Json& value) {
  return (value.is_int64() && value.get_int64() > 0) || value.is_uint64();
}

bool is_word(const Json& value, std::initializer_list<std::string_view> words) {
  return value.is_string() && std::ranges::find(words, as_text(value)) != words.end();
}

bool fits(const Json& value, Shape shape) {
  switch (shape) {
    case Shape::kTemplate:
      return true;
    case Shape::kText:
      return value.is_string();
    case Shape::kTextList:
      return value.is_array();
    case Shape::kTextMap:
    case Shape::kVariables:
    case Shape::kObject:
    case Shape::kVerdicts:
      return value.is_object();
    case Shape::kBool:
      return value.is_bool();
    case Shape::kProfile:
      return value.is_string() && policy::profile_of(as_text(value));
    case Shape::kReach:
      return is_word(value, {"open", "roots"});
    case Shape::kGuard:
      return is_word(value, {"off", "known", "strict"});
    case Shape::kConfine:
      return value.is_object() || (value.is_string() && policy::confine_of(as_text(value)));
    case Shape::kPositive:
      return is_positive(value);
    case Shape::kNatural:
      return is_positive(value) || (value.is_int64() && value.get_int64() == 0);
    case Shape::kEmptyArgs:
      return value.is_string() && (as_text(value) == "drop" || as_text(value) == "keep");
  }
  return false;
}

const char* expectation(Shape shape) {
  switch (shape) {
    case Shape::kTemplate:
      return "config.expected.template";
    case Shape::kText:
      return "config.expected.text";
    case Shape::kTextList:
      return "config.expected.text_list";
    case Shape::kTextMap:
      return "config.expected.text_map";
    case Shape::kVariables:
      return "config.expected.variables";
    case Shape::kObject:
    case Shape::kVerdicts:
      return "config.expected.object";
    case Shape::kBool:
      return "config.expected.bool";
    case Shape::kProfile:
      return "config.expected.profile";
    case Shape::kReach:
      return "config.expected.reach";
    case Shape::kGuard:
      return "config.expected.guard";
    case Shape::kConfine:
      return "config.expected.confine";
    case Shape::kPositive:
      return "config.expected.positive";
    case Shape::kNatural:
      return "config.expected.natural";
    case Shape::kEmptyArgs:
      return "config.expected.empty_args";
  }
  return "";
}

const Field* find_field(std::span<const Field> fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

Refusal refusal(std::string_view rule, Texts args) { return refuse(rule, std::move(args)).error(); }

Refusal unknown(std::string_view name, std::span<const Field> fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.name);
  return refusal("config.unknown_field",
                 {{"field", std::string(name)}, {"hint", hint(name, names)}});
}

// "integer 8080", "array"
std::string found_text(const Json& value) {
  std::string found(json_kind(value));
  const bool is_short = value.is_bool() || value.is_number() ||
                        (value.is_string() && value.get_string().size() <= kShown);
  return is_short ? found + ' ' + write_json(value) : found;
}

void report_type(const std::string& name, const char* expected, const Json& value,
                 const std::string& pointer, const Report& report) {
  report(pointer,
         refusal("config.wrong_type",
                 {{"field", name}, {"expected", text(expected)}, {"found", found_text(value)}}));
}

// What each member of such an object must be; null: nothing is asked of them.
const char* member_expectation(Shape shape) {
  if (shape == Shape::kTextMap) return "config.expected.text";
  if (shape == Shape::kVariables) return "config.expected.text_or_null";
  return shape == Shape::kVerdicts ? "config.expected.verdict" : nullptr;
}

bool fits_member(const Json& value, Shape shape) {
  if (shape == Shape::kVerdicts) return value.is_string() && policy::verdict_of(as_text(value));
  return value.is_string() || (shape == Shape::kVariables && value.is_null());
}

// The members of an object or an array of texts; each wrong one is named by itself.
void check_members(const Field& field, const Json& value, const std::string& pointer,
                   const Report& report) {
  const std::string name(field.name);
  if (field.shape == Shape::kTextList) {
    for (size_t i = 0; i < value.get_array().size(); ++i) {
      const Json& item = value.get_array()[i];
      if (item.is_string()) continue;
      report_type(name + '[' + std::to_string(i) + ']', "config.expected.text", item,
                  pointer_to(pointer, i), report);
    }
  }
  const char* const expected = member_expectation(field.shape);
  if (expected == nullptr) return;
  for (const auto& [key, item] : value.get_object()) {
    if (fits_member(item, field.shape)) continue;
    report_type(name + '.' + std::string(key), expected, item, pointer_to(pointer, key), report);
  }
}

void check_shape(const Field& field, const Json& value, const std::string& pointer,
                 const Report& report) {
  if (fits(value, field.shape)) return check_members(field, value, pointer, report);
  report_type(std::string(field.name), expectation(field.shape), value, pointer, report);
}

// The fields of the outermost node: the template's and the host's.
std::span<const Field> outermost_fields() {
  static const std::vector<Field> kAll = [] {
    std::vector<Field> all(std::begin(kPortableFields), std::end(kPortableFields));
    all.insert(all.end(), std::begin(kHostFields), std::end(kHostFields));
    return all;
  }();
  return kAll;
}

void check_node_field(std::string_view name, const Json& value, const std::string& at,
                      bool outermost, const Report& report) {
  const std::span<const Field> fields = outermost ? outermost_fields() : portable_fields();
  if (const Field* field = find_field(fields, name)) {
    check_shape(*field, value, at, report);
  } else if (is_one_of(kForeignFields, name)) {
    report(at, refusal("config.foreign_field", {{"field", std::string(name)}}));
  } else if (find_field(host_fields(), name) != nullptr) {
    report(at, refusal("config.inner_field", {{"field", std::string(name)}}));
  } else if (!is_one_of(kRetiredFields, name)) {  // template/ warns of those
    report(at, unknown(name, fields));
  }
}

size_t shared_letters(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// The candidate that begins like `word`: with four letters, or with all of the shorter of the two
// if that has three. "" if there is none.
std::string_view related(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr size_t kEnough = 4, kShortest = 3;
  std::string_view best;
  size_t best_shared = 0;
  for (const std::string_view candidate : candidates) {
    const size_t shared = shared_letters(word, candidate);
    const bool is_prefix = shared == std::min(word.size(), candidate.size()) && shared >= kShortest;
    if ((shared < kEnough && !is_prefix) || shared <= best_shared) continue;
    best = candidate;
    best_shared = shared;
  }
  return best;
}

}  // namespace

std::span<const Field> file_fields() { return kFileFields; }
std::span<const Field> limit_fields() { return kLimitFields; }
std::span<const Field> policy_fields() { return kPolicyFields; }
std::span<const Field> serve_fields() { return kServeFields; }
std::span<const Field> workspace_fields() { return kWorkspaceFields; }
std::span<const Field> confine_fields() { return kConfineFields; }
std::span<const Field> host_fields() { return kHostFields; }
std::span<const Field> portable_fields() { return kPortableFields; }

void check_object(const JsonObject& object, const std::string& pointer,
                  std::span<const Field> fields, const Report& report) {
  for (const auto& [name, value] : object) {
    const std::string at = pointer_to(pointer, name);
    if (const Field* field = find_field(fields, name)) {
      check_shape(*field, value, at, report);
    } else {
      report(at, unknown(name, fields));
    }
  }
}

void check_node(const Json& node, const std::string& pointer, bool outermost,
                const Report& report) {
  if (node.is_array()) {
    size_t index = 0;
    for (const Json& child : node.get_array()) {
      check_node(child, pointer_to(pointer, index++), false, report);
    }
  }
  if (!node.is_object()) return;
  for (const auto& [name, value] : node.get_object()) {
    const std::string at = pointer_to(pointer, name);
    check_node_field(name, value, at, outermost, report);
    if (name == "template" || name == "recover") check_node(value, at, false, report);
  }
}

std::string hint(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view close = closest(word, candidates);
  if (close.empty()) close = related(word, candidates);
  return close.empty() ? "" : text("config.hint", {{"name", std::string(close)}});
}

}  // namespace helve::host
