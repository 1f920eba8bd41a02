#include "host/conform.h"

#include <algorithm>

#include "base/jsonc.h"
#include "base/text.h"
#include "base/texts.h"
#include "host/places.h"
#include "os/files.h"

namespace helve::host {
namespace {

constexpr std::uint64_t kMostBytes = 64 * 1024 * 1024;

std::string stdin_of(const Json& call) {
  return std::string(find_text(call, "stdin").value_or(""));
}

bool same_call(const Json& a, const Json& b) {
  const Json* left = find(a, "argv");
  const Json* right = find(b, "argv");
  return left != nullptr && right != nullptr && *left == *right && stdin_of(a) == stdin_of(b);
}

bool same_calls(const Json& expect, const Json& actual, bool free_order) {
  if (!expect.is_array() || !actual.is_array()) return false;
  const JsonArray& wanted = expect.get_array();
  const JsonArray& found = actual.get_array();
  return free_order ? std::ranges::is_permutation(wanted, found, same_call)
                    : std::ranges::equal(wanted, found, same_call);
}

bool has_parallel(const Json& node) {
  if (node.is_array()) return std::ranges::any_of(node.get_array(), has_parallel);
  if (!node.is_object()) return false;
  return std::ranges::any_of(node.get_object(), [](const auto& member) {
    return member.key() == "parallel" || has_parallel(member.value());
  });
}

struct Tally {
  size_t passed = 0, failed = 0, unanswered = 0;
};

void answer(const Json& test_case, const Answerer& answerer, Console& console, Tally& tally) {
  const Json* id = find(test_case, "id");
  JsonObject line{{"id", id != nullptr ? *id : Json(nullptr)}};
  const Result<Json> actual = answerer(test_case);
  if (!actual) {
    ++tally.unanswered;
    line["refused"] = refusal_json(actual.error());
    console.out << write_json(line) << '\n';
    return;
  }
  line["actual"] = *actual;
  if (const Json* expect = find(test_case, "expect")) {
    const bool met = meets(*expect, *actual, has_parallel(test_case));
    ++(met ? tally.passed : tally.failed);
    line["result"] = met ? "pass" : "fail";
    if (!met) line["expect"] = *expect;
  }
  console.out << write_json(line) << '\n';
}

Result<Json> read_vectors(const std::filesystem::path& file, const Surroundings& around) {
  const auto bytes = os::read_file(absolute(file, around), kMostBytes);
  if (!bytes) return std::unexpected(bytes.error());
  Result<JsonDocument> document = parse_jsonc(*bytes);
  if (!document) return std::unexpected(document.error());
  const Json* cases = find(document->value, "cases");
  if (find_text(document->value, "format") && cases != nullptr && cases->is_array()) {
    return std::move(document->value);
  }
  return refuse("conform.not_a_vector_file", {{"file", file.string()}});
}

Result<Answerer> answerer_of(const Json& vectors, const Answerers& formats) {
  const std::string_view format = find_text(vectors, "format").value_or("");
  const auto found = formats.find(format);
  if (found != formats.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, _] : formats) known.push_back(name);
  return refuse("conform.unknown_format",
                {{"format", std::string(format)}, {"known", join(known, ", ")}});
}

}  // namespace

bool meets(const Json& expect, const Json& actual, bool free_order) {
  if (!expect.is_object() || !actual.is_object()) return expect == actual;
  return std::ranges::all_of(expect.get_object(), [&](const auto& member) {
    const Json* found = find(actual, member.key());
    if (found == nullptr) return member.value().is_null();
    if (member.key() == "calls") return same_calls(member.value(), *found, free_order);
    return member.value() == *found;
  });
}

int conform(const std::filesystem::path& file, Console& console, const Surroundings& around,
            const Answerers& formats) {
  const Result<Json> vectors = read_vectors(file, around);
  if (!vectors) return print_refusal(console, vectors.error());
  const Result<Answerer> answerer = answerer_of(*vectors, formats);
  if (!answerer) return print_refusal(console, answerer.error());
  Tally tally;
  for (const Json& test_case : find(*vectors, "cases")->get_array()) {
    answer(test_case, *answerer, console, tally);
  }
  if (tally.passed + tally.failed > 0) {
    console.out << text("conform.tally", {{"passed", std::to_string(tally.passed)},
                                          {"failed", std::to_string(tally.failed)}})
                << '\n';
  }
  return tally.failed + tally.unanswered > 0 ? kRefused : kDone;
}

}  // namespace helve::host
