// The data of Debian's json-schema-test-suite, draft 7: all that draft 7 and 2020-12 share.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/texts.h"
#include "schema/schema.h"

namespace helve::schema {
namespace {

constexpr const char* kFolder = "/usr/share/json-schema-test-suite/tests/draft7";

struct Skipped {
  const char *file, *group, *reason;  // an empty group: the whole file
};

constexpr Skipped kSkipped[] = {
    {"additionalItems.json", "", "the keyword is gone: 2020-12 has items and prefixItems"},
    {"items.json", "an array of schemas for items", "2020-12 has prefixItems for this"},
    {"items.json", "items with boolean schemas", "2020-12 has prefixItems for this"},
    {"ref.json", "relative pointer ref to array", "items is an array"},
    {"ref.json", "ref overrides any sibling keywords", "in 2020-12 neighbours count"},
    {"ref.json", "remote ref, containing refs itself",
     "nothing is fetched, the meta schema neither"},
    {"definitions.json", "", "nothing is fetched, the meta schema neither"},
    {"refRemote.json", "", "nothing is fetched"},
    {"optional/bignum.json", "", "the reader refuses integers beyond 64 bits"},
    {"optional/content.json", "", "contentEncoding and contentMediaType are annotations"},
    {"optional/ecmascript-regex.json", "", "format is an annotation"},
    {"optional/zeroTerminatedFloats.json", "", "1.0 is an integer in 2020-12"},
    {"optional/format/*", "", "format is an annotation"},
};

const char* reason_to_skip(const std::string& file, std::string_view group) {
  for (const Skipped& skipped : kSkipped) {
    const std::string_view name = skipped.file;
    const bool folder = name.ends_with('*') && file.starts_with(name.substr(0, name.size() - 1));
    if ((folder || file == name) && (*skipped.group == '\0' || group == skipped.group)) {
      return skipped.reason;
    }
  }
  return nullptr;
}

struct Counts {
  size_t run = 0, skipped = 0;
};

void run_group(const Json& group, Counts& counts) {
  const auto schema = Schema::compile(group.at("schema"));
  ASSERT_TRUE(schema) << render_text(schema.error());
  for (const Json& test : group.at("tests").as_array()) {
    ++counts.run;
    EXPECT_EQ(schema->accepts(test.at("data")), test.at("valid").as_bool())
        << as_text(test.at("description"));
    EXPECT_EQ(schema->validate(test.at("data")).empty(), test.at("valid").as_bool());
  }
}

void run_file(const std::filesystem::path& path, Counts& counts) {
  const std::string name = path.lexically_relative(kFolder).string();
  SCOPED_TRACE(name);
  if (reason_to_skip(name, "") != nullptr) {
    ++counts.skipped;
    return;
  }
  std::ifstream in(path);
  const auto groups = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  ASSERT_TRUE(groups) << render_text(groups.error());
  for (const Json& group : groups->as_array()) {
    SCOPED_TRACE(as_text(group.at("description")));
    if (reason_to_skip(name, as_text(group.at("description"))) != nullptr) {
      ++counts.skipped;
    } else {
      run_group(group, counts);
    }
  }
}

TEST(TestSuite, TheSharedPartOfDraft7Holds) {
  ASSERT_TRUE(std::filesystem::exists(kFolder))
      << "the package json-schema-test-suite is missing: ./dev installs it";
  Counts counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") run_file(entry.path(), counts);
  }
  EXPECT_GT(counts.run, 300U);
  RecordProperty("run", static_cast<int>(counts.run));
  RecordProperty("skipped", static_cast<int>(counts.skipped));
}

TEST(TestSuite, EverySkippedFileExists) {
  for (const Skipped& skipped : kSkipped) {
    std::string name = skipped.file;
    if (name.ends_with('*')) name.resize(name.size() - 2);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(kFolder) / name)) << name;
    EXPECT_NE(std::string_view(skipped.reason), "");
  }
}

}  // namespace
}  // namespace helve::schema
