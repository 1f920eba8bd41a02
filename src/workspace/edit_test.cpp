#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/encoded.h"
#include "workspace/knowledge.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

using testing::Desk;
using testing::fact;
using testing::first_line;
using testing::rule_of;
namespace fs = std::filesystem;

TEST(Edit, WS2ItsSchemaIsTakenByEveryHostAndShort) {
  Desk desk;
  std::size_t size = 0;
  for (const auto& tool : desk.registry.tools()) {
    size += tool->description.size() + write_json(tool->input).size();
  }
  EXPECT_LE(size, 2048U) << "of the 6 KiB of all six";
}

TEST(Edit, WS89AnswersWithLinesVersionAndDiff) {
  Desk desk;
  desk.put("src/f.c", "one\ntwo\nthree\n");
  const auto answer = desk.edit("src/f.c", "two", "TWO");
  EXPECT_EQ(desk.bytes("src/f.c"), "one\nTWO\nthree\n");
  EXPECT_EQ(answer.text, "src/f.c: 1 replaced at line 2, version " +
                             version_of("one\nTWO\nthree\n") +
                             "\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
  EXPECT_EQ(fact(answer, "replacements"), 1);
  EXPECT_EQ(fact(answer, "lines"), JsonArray{2});
  EXPECT_EQ(fact(answer, "version").as_string(), version_of("one\nTWO\nthree\n"));
}

TEST(Edit, WS84WR14WF37WF40WrongEditsDoNothing) {
  Desk desk;
  desk.put("f", "a a\n");
  struct stat before{}, after{};
  ASSERT_EQ(::stat(desk.path("f").c_str(), &before), 0);
  EXPECT_EQ(rule_of(desk.edit("f", "", "x")), "edit.empty_old");
  EXPECT_EQ(rule_of(desk.edit("f", "a", "a")), "edit.no_change");
  EXPECT_EQ(rule_of(desk.edit("f", "z", "y")), "edit.no_match");
  const auto ambiguous = desk.edit("f", "a", "b");
  EXPECT_EQ(rule_of(ambiguous), "edit.ambiguous");
  EXPECT_TRUE(ambiguous.text.contains("2 times") && ambiguous.text.contains("\n  1: a a"))
      << ambiguous.text;
  ASSERT_EQ(::stat(desk.path("f").c_str(), &after), 0);
  EXPECT_EQ(desk.bytes("f"), "a a\n");
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(Edit, WF22WR14RefusesWhatIsMissingOrOfTheWrongKind) {
  Desk desk;
  desk.put("f", "kept");
  const auto rule = [&](const char* arguments) {
    return rule_of(desk.call("edit", *parse_json(arguments)));
  };
  EXPECT_EQ(rule(R"({"path": "f", "new": "x"})"), "edit.incomplete");
  EXPECT_EQ(rule(R"({"path": "f", "old": "x"})"), "edit.incomplete");
  EXPECT_EQ(rule(R"({"path": "f"})"), "edit.incomplete");
  EXPECT_EQ(rule(R"({"path": "f", "old": "k", "new": "x", "edits":
                     [{"old": "k", "new": "x"}, {"old": "e", "new": "y"}]})"),
            "edit.incomplete");
  EXPECT_EQ(rule(R"({"path": "f", "old": {"a": 1}, "new": "x"})"), "args.invalid");
  EXPECT_EQ(rule(R"({"path": "f", "old": "k", "new": {}})"), "args.invalid");
  EXPECT_EQ(rule(R"({"old": "k", "new": "x"})"), "args.invalid");
  EXPECT_EQ(rule(R"({"path": "f", "edits": [{"old": "k", "new": "x"}]})"), "edit.too_few");
  EXPECT_EQ(rule(R"({"path": "f", "edits": []})"), "edit.too_few");
  EXPECT_EQ(rule(R"({"path": "f", "edits": [{"old": "k"}, {"new": "x"}]})"), "args.invalid");
  EXPECT_EQ(desk.bytes("f"), "kept");
}

TEST(Edit, WF23SaysWhyAFileCannotBeRead) {
  Desk desk;
  desk.put("folder/file.txt", "x");
  EXPECT_EQ(rule_of(desk.edit("folder", "a", "b")), "file.is_directory");
  const auto missing = desk.edit("folder/fil.txt", "a", "b");
  EXPECT_EQ(rule_of(missing), "file.not_found");
  EXPECT_TRUE(missing.text.contains("file.txt")) << missing.text;
  EXPECT_FALSE(fs::exists(desk.path("folder/fil.txt")));
  EXPECT_EQ(rule_of(desk.edit("other/folder/f", "a", "b")), "file.not_found");
  EXPECT_FALSE(fs::exists(desk.path("other")));
}

TEST(Edit, WS85ListsTheFirstTenLines) {
  Desk desk;
  std::string text;
  for (int i = 1; i <= 30; ++i) text += "row " + std::to_string(i) + "\n";
  desk.put("f", text);
  const auto refused = desk.edit("f", "row", "x");
  EXPECT_TRUE(refused.text.contains("30 times"));
  EXPECT_TRUE(refused.text.contains("\n  10: row 10"));
  EXPECT_FALSE(refused.text.contains("\n  11: "));
  EXPECT_TRUE(refused.text.contains("all: true")) << "the next call is told";
  const auto answer = desk.edit("f", "row", "x", {{"all", true}});
  EXPECT_EQ(fact(answer, "replacements"), 30);
  EXPECT_TRUE(first_line(answer).contains("30 replaced at line 1, 2, 3")) << answer.text;
}

TEST(Edit, WS85CanReplaceAllByDefault) {
  Settings settings;
  settings.edit_all = true;
  Desk desk(settings);
  desk.put("f", "a a");
  EXPECT_FALSE(desk.edit("f", "a", "b").is_error);
  EXPECT_EQ(desk.bytes("f"), "b b");
  EXPECT_EQ(rule_of(desk.edit("f", "b", "c", {{"all", false}})), "edit.ambiguous");
}

TEST(Edit, WF39WS86NamesTheLooserStep) {
  Desk desk;
  desk.put("f", "one\r\ntwo\r\nthree\r\n");
  const auto answer = desk.edit("f", "one\ntwo\n", "one\nTWO\nmore\n");
  EXPECT_EQ(desk.bytes("f"), "one\r\nTWO\r\nmore\r\nthree\r\n");
  EXPECT_TRUE(first_line(answer).contains("found with line ends ignored")) << answer.text;
  EXPECT_EQ(fact(answer, "loose"), "line_ends");
  EXPECT_FALSE(answer.text.contains('\r'));
  EXPECT_EQ(fact(desk.edit("f", "more", "less"), "loose"), nullptr);
}

TEST(Edit, WF41WS87ShowsTheNearestPlaceInsteadOfOld) {
  Desk desk;
  desk.put("f", "alpha\n\tbeta gamma\ndelta\n");
  const auto refused = desk.edit("f", "    beta gamma\n" + std::string(50'000, 'x'), "y");
  EXPECT_EQ(rule_of(refused), "edit.no_match");
  EXPECT_TRUE(refused.text.contains("line 2") && refused.text.contains("a tab")) << refused.text;
  EXPECT_LE(refused.text.size(), 1400U);
}

TEST(Edit, WS88MakesSeveralEditsOrNone) {
  Desk desk;
  desk.put("f", "one\ntwo\nthree\n");
  const auto edits = [&](const char* list, JsonObject more = {}) {
    more["path"] = "f";
    more["edits"] = *parse_json(list);
    return desk.call("edit", std::move(more));
  };
  const auto answer = edits(R"([{"old": "one", "new": "two"}, {"old": "two", "new": "one"}])");
  EXPECT_EQ(desk.bytes("f"), "two\none\nthree\n");
  EXPECT_EQ(fact(answer, "replacements"), 2);
  const auto missing = edits(R"([{"old": "one", "new": "1"}, {"old": "four", "new": "4"}])");
  EXPECT_EQ(rule_of(missing), "edit.no_match");
  EXPECT_TRUE(missing.text.contains("f (edit 2)")) << missing.text;
  EXPECT_EQ(rule_of(edits(R"([{"old": "two\no", "new": "1"}, {"old": "one", "new": "4"}])")),
            "edit.overlap");
  EXPECT_EQ(desk.bytes("f"), "two\none\nthree\n");
}

TEST(Edit, WS88ADryRunShowsTheDiffOnly) {
  Desk desk;
  desk.put("f", "one\n");
  const auto answer = desk.edit("f", "one", "two", {{"dry_run", true}});
  EXPECT_TRUE(answer.text.contains("nothing written") && answer.text.contains("-one\n+two\n"))
      << answer.text;
  EXPECT_EQ(desk.bytes("f"), "one\n");
  EXPECT_EQ(fact(answer, "version").as_string(), version_of("one\n"));
}

TEST(Edit, WS83RefusesFilesThatAreTooLarge) {
  Desk desk;
  desk.put("f", "x");
  fs::resize_file(desk.path("f"), (64ULL << 20U) + 1);
  EXPECT_EQ(rule_of(desk.edit("f", "x", "y")), "file.too_large");
  fs::resize_file(desk.path("f"), 64ULL << 20U);
  EXPECT_EQ(rule_of(desk.edit("f", "x", "yy")), "file.too_large") << "by what it would become";
  EXPECT_FALSE(desk.edit("f", "x", "y").is_error);
}

TEST(Edit, WS89WR17EditsWhatWasChangedElsewhereAndSaysSo) {
  Desk desk;
  desk.put("f", "one\ntwo\nthree\n");
  desk.saw("f");
  desk.put("f", "ONE\ntwo\nthree\n");
  const auto answer = desk.edit("f", "two", "TWO");
  EXPECT_EQ(desk.bytes("f"), "ONE\nTWO\nthree\n");
  EXPECT_TRUE(first_line(answer).contains("had been changed")) << answer.text;
  EXPECT_EQ(fact(answer, "was_changed"), true);
  EXPECT_EQ(fact(desk.edit("f", "TWO", "2"), "was_changed"), nullptr) << "its own change is known";
}

TEST(Edit, WS89OnlyAnExactUniqueMatchIsProofEnough) {
  Desk desk;
  desk.put("f", "one\r\ntwo\r\n");
  desk.saw("f");
  desk.put("f", "ONE\r\ntwo\r\nthree\r\nthree\r\n");
  EXPECT_EQ(rule_of(desk.edit("f", "two\nthree", "x")), "file.changed") << "line ends ignored";
  EXPECT_EQ(rule_of(desk.edit("f", "three", "x", {{"all", true}})), "file.changed");
  const auto refused = desk.edit("f", "one", "x");
  EXPECT_EQ(rule_of(refused), "file.changed") << "what it wants to replace is gone";
  EXPECT_TRUE(refused.text.contains("+ONE")) << refused.text;
}

TEST(Edit, WS89StrictRefusesWhatWasChanged) {
  Settings strict;
  strict.guard = Guard::kStrict;
  Desk desk(strict);
  desk.put("f", "one\ntwo\n");
  desk.saw("f");
  desk.put("f", "ONE\ntwo\n");
  EXPECT_EQ(rule_of(desk.edit("f", "two", "x")), "file.changed");
}

TEST(Edit, WS89ASessionWithoutMemoryGivesTheVersion) {
  Desk desk;
  desk.session = std::make_shared<tool::Session>(tool::Session::Memory::kShared);
  desk.put("f", "one\n");
  const auto refused = desk.edit("f", "one", "two");
  EXPECT_EQ(rule_of(refused), "file.version_needed");
  EXPECT_TRUE(refused.text.contains(version_of("one\n"))) << refused.text;
  const auto answer = desk.edit("f", "one", "two", {{"version", version_of("one\n")}});
  EXPECT_FALSE(answer.is_error) << answer.text;
  EXPECT_EQ(rule_of(desk.edit("f", "two", "x", {{"version", version_of("one\n")}})),
            "file.changed");
  // The version of each answer is good for the next call.
  EXPECT_FALSE(desk.edit("f", "two", "three", {{"version", fact(answer, "version")}}).is_error);
}

TEST(Edit, WS80WhetherTheWholeIsKnownStaysAsItWas) {
  Desk desk;
  desk.put("known", "one\n");
  desk.put("unknown", "one\n");
  desk.saw("known");
  desk.edit("known", "one", "two");
  desk.edit("unknown", "one", "two");
  auto& knowledge = desk.session->record<Knowledge>();
  ASSERT_NE(knowledge.find(desk.path("known")), nullptr);
  EXPECT_TRUE(knowledge.find(desk.path("known"))->whole);
  EXPECT_EQ(knowledge.find(desk.path("known"))->bytes, "two\n");
  ASSERT_NE(knowledge.find(desk.path("unknown")), nullptr);
  EXPECT_FALSE(knowledge.find(desk.path("unknown"))->whole);
}

TEST(Edit, TheAnswerIsBoundedWhateverTheText) {
  Desk desk;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "\x01\x02\xFF line\n";
  desk.put("f", text);
  const auto answer = desk.edit("f", "line", "LINE", {{"all", true}});
  EXPECT_FALSE(answer.is_error);
  EXPECT_LE(encoded_size(answer.text), 36'000U);
}

}  // namespace
}  // namespace helve::workspace
