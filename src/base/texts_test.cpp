#include "base/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

namespace helve {
namespace {

namespace fs = std::filesystem;

// Keys that the sources put together: each of these stands in them as a literal, and the rest is
// added to it.
constexpr const char* kComposed[] = {
    "help.",           "option.",        "status.",          "severity.",      "html.button.",
    "note.",           "count.",         "job.line.",        "serve.refused.", "risk_",
    "risk.",           "template.what.", "template.wanted.", "template.form.", "template.argument.",
    "template.where.", "file.in_place.", "confine.missing.", "confine.fix.",   "means.fix.",
    "means.for.",      "edit.char.",     "edit.ends.",       "bounded.gap",    "bounded.lines_cut"};

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All sources of src/ but the tests, by path.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> kSources = [] {
    std::map<std::string, std::string> files;
    const fs::path root = fs::path(HELVE_SOURCE_DIR) / "src";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string path = entry.path().lexically_relative(root).string();
      const bool source = path.ends_with(".cpp") || path.ends_with(".h");
      if (source && !path.ends_with("_test.cpp") && !path.contains("testing/")) {
        files[path] = read_file(entry.path());
      }
    }
    return files;
  }();
  return kSources;
}

std::set<std::string> literals_in(const std::string& source) {
  std::set<std::string> out;
  const std::regex literal(R"re("([a-z][a-z0-9_.-]*)")re");
  for (std::sregex_iterator at(source.begin(), source.end(), literal), end; at != end; ++at) {
    out.insert((*at)[1].str());
  }
  return out;
}

// The literals in the first argument of each refuse(...), which may be a choice of two.
std::set<std::string> rules_in(const std::string& source) {
  std::set<std::string> rules;
  const std::regex call(R"(\brefuse\s*\(([^{};)]*))");
  for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at) {
    const std::string arguments = (*at)[1].str();
    for (const std::string& rule : literals_in(arguments.substr(0, arguments.find(',')))) {
      if (rule.contains('.')) rules.insert(rule);
    }
  }
  return rules;
}

TEST(Texts, EveryRuleThatIsRefusedHasBothSentences) {
  size_t rules = 0;
  for (const auto& [path, source] : sources()) {
    for (const std::string& rule : rules_in(source)) {
      ++rules;
      EXPECT_TRUE(has_text("refused." + rule)) << path << " refuses " << rule;
      EXPECT_TRUE(has_text("next." + rule)) << path << " refuses " << rule;
    }
  }
  EXPECT_GT(rules, 20U);
}

bool is_composed(std::string_view key) {
  return std::any_of(std::begin(kComposed), std::end(kComposed), [&](std::string_view prefix) {
    return key.starts_with(prefix) &&
           std::any_of(sources().begin(), sources().end(), [&](auto& file) {
             return file.second.contains('"' + std::string(prefix) + '"');
           });
  });
}

// src/template names its rules by the error class alone: fail("missing_value", ...).
constexpr std::string_view kTemplate = "template.";

TEST(Texts, EveryErrorClassOfTemplatesHasBothSentences) {
  const std::regex call(R"re(\bfail\(\s*"([a-z_]+)")re");
  for (const auto& [path, source] : sources()) {
    if (!path.starts_with("template/")) continue;
    for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at) {
      const std::string rule = std::string(kTemplate) + (*at)[1].str();
      EXPECT_TRUE(has_text("refused." + rule) && has_text("next." + rule)) << path << " " << rule;
    }
  }
}

TEST(Texts, EverySentenceIsUsed) {
  std::set<std::string> used;
  for (const auto& [path, source] : sources()) used.merge(literals_in(source));
  for (const std::string_view key : text_keys()) {
    std::string_view name = key;
    for (const std::string_view prefix : {"refused.", "next."}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    const std::string_view rest =
        name.starts_with(kTemplate) ? name.substr(kTemplate.size()) : std::string_view();
    const bool error_class = used.contains(std::string(rest)) || is_composed(rest);
    EXPECT_TRUE(error_class || used.contains(std::string(name)) ||
                used.contains(std::string(key)) || is_composed(key) || is_composed(name))
        << key << " is used nowhere in src/";
  }
}

TEST(Texts, EveryFileIsCompiledIn) {
  const std::regex line("(?:^|\n)([a-z][a-z0-9_.]*) *=");
  for (const auto& entry : fs::directory_iterator(fs::path(HELVE_SOURCE_DIR) / "texts" / "en")) {
    const std::string table = read_file(entry.path());
    for (std::sregex_iterator at(table.begin(), table.end(), line), end; at != end; ++at) {
      EXPECT_TRUE(has_text((*at)[1].str())) << entry.path() << " " << (*at)[1];
    }
  }
}

TEST(Texts, ARefusalAndItsNextStepComeTogether) {
  for (const std::string_view key : text_keys()) {
    if (key.starts_with("refused.")) {
      EXPECT_TRUE(has_text("next." + std::string(key.substr(8)))) << key;
    }
    if (key.starts_with("next.")) {
      const std::string rule(key.substr(5));  // of a refusal, or of a note of the checker
      EXPECT_TRUE(has_text("refused." + rule) || has_text("note." + rule)) << key;
    }
  }
}

// The names of the places of a sentence; of one that shows braces itself, none.
std::set<std::string> places_of(const std::string& key) {
  std::set<std::string> places;
  if (!has_text(key) || key == "next.config.cwd_placeholder") return places;
  const std::string sentence = text(key);
  const std::regex place(R"(\{([a-z0-9_]+)\})");
  for (std::sregex_iterator at(sentence.begin(), sentence.end(), place), end; at != end; ++at) {
    places.insert((*at)[1].str());
  }
  return places;
}

// From the place behind an opening bracket to the one that closes it.
std::string inside(const std::string& source, size_t begin) {
  size_t end = begin;
  for (int depth = 1; end < source.size(); ++end) {
    const char c = source[end];
    depth += (c == '(' || c == '{') - (c == ')' || c == '}');
    if (depth == 0) break;
  }
  return source.substr(begin, end - begin);
}

// Where a call has the key and the values as literals, each place of the sentence has its value.
TEST(Texts, EveryPlaceIsFilled) {
  const std::regex call(R"re(\b(refuse|text)\(\s*"([a-z0-9_.]+)"\s*,\s*\{)re");
  const std::regex name(R"re(\{\s*"([a-z0-9_]+)"\s*,)re");
  size_t calls = 0;
  for (const auto& [path, source] : sources()) {
    for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at) {
      ++calls;
      const std::string key = (*at)[2].str();
      const bool refused = (*at)[1] == "refuse";
      std::set<std::string> places = places_of(refused ? "refused." + key : key);
      if (refused) places.merge(places_of("next." + key));
      const std::string values =
          inside(source, static_cast<size_t>(at->position()) + static_cast<size_t>(at->length()));
      for (std::sregex_iterator value(values.begin(), values.end(), name), none; value != none;
           ++value) {
        places.erase((*value)[1].str());
      }
      for (const std::string& place : places) {
        ADD_FAILURE() << path << ": " << key << " has no value for {" << place << "}";
      }
    }
  }
  EXPECT_GT(calls, 100U);
}

TEST(Texts, FillsThePlacesOfASentence) {
  const Refusal refusal{"json.invalid", {{"reason", "{line}"}, {"line", "3"}, {"column", "7"}}};
  const Rendered rendered = render(refusal);
  EXPECT_EQ(rendered.message, "this is not valid JSON: {line} at line 3, column 7");
  EXPECT_EQ(rendered.next, "correct the text at line 3, column 7");
}

TEST(Texts, APlaceWithoutAValueStaysAsWritten) {
  EXPECT_TRUE(text("next.json.invalid", {{"line", "3"}}).contains("column {column}"));
}

TEST(Texts, DetailsComeOnALineOfTheirOwn) {
  const Refusal refusal{"json.duplicate_key",
                        {{"key", "a"}, {"line", "1"}, {"column", "2"}},
                        JsonObject{{"key", "a"}}};
  EXPECT_EQ(render_text(refusal),
            "the key \"a\" stands twice in one object, again at line 1, column 2\n"
            "Next: remove one of the two\n"
            "{\"key\":\"a\"}");
}

}  // namespace
}  // namespace helve
