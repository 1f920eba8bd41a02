#include "notes/note.h"

#include <gtest/gtest.h>

#include <set>

namespace helve::notes {
namespace {

struct Case {
  const char *name, *text, *want;
};

std::string describe(const std::optional<Ref>& ref) {
  if (!ref) return "none";
  return ref->id + (ref->revision ? " at " + std::to_string(*ref->revision) : "");
}

constexpr Case kCases[] = {
    {"NT-3 an id", "n0123456789", "n0123456789"},
    {"NT-3 a ref", "n0123456789@4", "n0123456789 at 4"},
    {"the largest revision", "nzzzzzzzzzz@9223372036854775807",
     "nzzzzzzzzzz at 9223372036854775807"},
    {"one beyond it", "nzzzzzzzzzz@9223372036854775808", "none"},
    {"NT-19 revisions begin at 1", "n0123456789@0", "none"},
    {"no sign", "n0123456789@-1", "none"},
    {"no leading zero", "n0123456789@04", "none"},
    {"no fraction", "n0123456789@1.5", "none"},
    {"nothing behind the sign", "n0123456789@", "none"},
    {"two signs", "n0123456789@1@2", "none"},
    {"letters that are left out", "n012345678l", "none"},
    {"capitals", "N0123456789", "none"},
    {"too short", "n012345678", "none"},
    {"too long", "n01234567890", "none"},
    {"a title", "Release checklist", "none"},
    {"nothing", "", "none"},
};

TEST(NoteRef, IsReadOrNot) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(parse_ref(c.text)), c.want);
  }
}

TEST(NoteId, NT3IsNewEachTimeAndReadsBack) {
  std::set<std::string> ids;
  std::set<char> digits;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = new_id();
    EXPECT_EQ(describe(parse_ref(id)), id);
    EXPECT_TRUE(ids.insert(id).second);
    digits.insert(id.begin() + 1, id.end());
  }
  EXPECT_EQ(digits.size(), 32U);
}

TEST(NoteOp, HasANameThatReadsBack) {
  for (const Op op : {Op::kWrite, Op::kReplace, Op::kDelete, Op::kRestore, Op::kImport}) {
    EXPECT_EQ(op_of(name_of(op)), op);
  }
  EXPECT_EQ(name_of(Op::kImport), "import");
  EXPECT_EQ(op_of("purge"), std::nullopt);
}

}  // namespace
}  // namespace helve::notes
