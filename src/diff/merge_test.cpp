#include "diff/merge.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "diff/lines.h"

namespace helve::diff {
namespace {

struct Case {
  const char* name;
  const char *base, *mine, *theirs, *want;
  std::size_t conflicts = 0;
};

constexpr Case kCases[] = {
    {"NT-29 changes apart are both taken", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n",
     "A\nb\nc\nd\nE\n"},
    {"NT-29 equal changes are taken once", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"},
    {"NT-29 equal deletions are taken once", "a\nb\nc\n", "a\nc\n", "a\nc\n", "a\nc\n"},
    {"NT-29 different changes of one line are a conflict", "a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n",
     "a\n<<<<<<< yours\nX\n||||||| base\nb\n=======\nY\n>>>>>>> current\nc\n", 1},
    {"NT-29 a deletion next to a change is a conflict", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nb\nX\nd\n",
     "a\n<<<<<<< yours\nc\n||||||| base\nb\nc\n=======\nb\nX\n>>>>>>> current\nd\n", 1},
    {"NT-29 a deletion of what the other changed is a conflict", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n",
     "a\n<<<<<<< yours\n||||||| base\nb\n=======\nB\n>>>>>>> current\nc\n", 1},
    {"different lines added at one place are a conflict", "a\n", "a\nX\n", "a\nY\n",
     "a\n<<<<<<< yours\nX\n||||||| base\n=======\nY\n>>>>>>> current\n", 1},
    {"two conflicts are counted", "a\nb\nc\n", "1\nb\n1\n", "2\nb\n2\n",
     "<<<<<<< yours\n1\n||||||| base\na\n=======\n2\n>>>>>>> current\nb\n"
     "<<<<<<< yours\n1\n||||||| base\nc\n=======\n2\n>>>>>>> current\n",
     2},
    {"both from nothing, alike", "", "a\n", "a\n", "a\n"},
    {"one deletes all", "a\nb\n", "", "a\nb\n", ""},
    {"NT-9 line ends that one side changed are kept", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nc\n",
     "a\r\nb\r\nc\r\n"},
    {"NT-9 line ends of one and words of the other go together", "a\nb\nc\n", "a\r\nb\r\nc\r\n",
     "a\nb\nX\n", "a\r\nb\r\nX\n"},
    {"NT-9 equal changes but for line ends are no conflict", "a\nb\n", "a\nX\r\n", "a\nX\n",
     "a\nX\r\n"},
    {"markers end as the lines do", "a\r\n", "X\r\n", "Y\r\n",
     "<<<<<<< yours\r\nX\r\n||||||| base\r\na\r\n=======\r\nY\r\n>>>>>>> current\r\n", 1},
    {"a marker begins on a line of its own", "a", "X", "Y",
     "<<<<<<< yours\nX\n||||||| base\na\n=======\nY\n>>>>>>> current\n", 1},
    {"a missing end of the last line is kept", "a\nb\nc", "A\nb\nc", "a\nb\nc", "A\nb\nc"},
    {"and taken away by one side", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nc", "A\nb\nc"},
    {"and ended where a line comes behind it", "a\nb", "A\nb", "a\nb\nc", "A\nb\nc"},
};

TEST(Merge, PutsTwoTextsTogether) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Merge merge = merge_lines(c.base, c.mine, c.theirs);
    EXPECT_EQ(merge.text, c.want);
    EXPECT_EQ(merge.conflicts, c.conflicts);
    EXPECT_EQ(merge.clean(), c.conflicts == 0);
  }
}

TEST(Merge, NamesTheSidesAsAsked) {
  const MergeLabels labels{.mine = "file", .base = "export", .theirs = "store"};
  EXPECT_EQ(merge_lines("a\n", "b\n", "c\n", labels).text,
            "<<<<<<< file\nb\n||||||| export\na\n=======\nc\n>>>>>>> store\n");
}

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  std::string any() {
    constexpr std::array kEnds = {"\n", "\n", "\n", "\r\n"};
    std::string out;
    for (unsigned lines = below(12); lines > 0; --lines) {
      out += static_cast<char>('a' + below(4));
      if (lines > 1 || below(2) == 0) out += kEnds[below(4)];
    }
    return out;
  }

  // `lines` with some changed, removed and added; what is new occurs nowhere else.
  std::vector<std::string> edited(const std::vector<std::string>& lines, unsigned one_in) {
    std::vector<std::string> out;
    for (const std::string& line : lines) {
      if (below(one_in) != 0) {
        out.push_back(line);
        continue;
      }
      const unsigned how = below(3);
      if (how == 0) out.push_back(line);
      if (how != 1) out.push_back("new " + std::to_string(++made_));
    }
    return out;
  }

 private:
  std::mt19937 random_;
  int made_ = 0;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back("line " + std::to_string(i));
  return out;
}

TEST(Merge, OfOneChangeIsThatChange) {
  Texts texts(11);
  for (int round = 0; round < 3000; ++round) {
    const std::string base = texts.any(), x = texts.any();
    SCOPED_TRACE(base + "--- x\n" + x);
    ASSERT_EQ(merge_lines(base, x, base).text, x);
    ASSERT_EQ(merge_lines(base, base, x).text, x);
    ASSERT_EQ(merge_lines(base, x, x).text, x);
  }
}

TEST(Merge, FindsTheSameConflictsFromBothSides) {
  Texts texts(12);
  for (int round = 0; round < 3000; ++round) {
    const std::string base = texts.any(), x = texts.any(), y = texts.any();
    ASSERT_EQ(merge_lines(base, x, y).conflicts, merge_lines(base, y, x).conflicts)
        << base << "--- x\n"
        << x << "--- y\n"
        << y;
  }
}

TEST(Merge, NT29TakesAllChangesOfSeparateRegions) {
  Texts texts(13);
  for (int round = 0; round < 500; ++round) {
    const auto head = numbered(8), fence = std::vector<std::string>{"--", "=="};
    std::vector<std::string> tail;
    for (int i = 0; i < 8; ++i) tail.push_back("end " + std::to_string(i));
    const std::string new_head = joined(texts.edited(head, 2));
    const std::string new_tail = joined(texts.edited(tail, 2));
    const std::string middle = joined(fence);
    const Merge merge =
        merge_lines(joined(head) + middle + joined(tail), new_head + middle + joined(tail),
                    joined(head) + middle + new_tail);
    ASSERT_TRUE(merge.clean());
    ASSERT_EQ(merge.text, new_head + middle + new_tail);
  }
}

TEST(Merge, OfTextsWithNothingInCommonIsOneConflict) {
  std::mt19937 random(1);
  std::array<std::string, 3> texts;
  for (std::string& text : texts) {
    for (int i = 0; i < 20'000; ++i) text += std::to_string(random()) + '\n';
  }
  const Merge merge = merge_lines(texts[0], texts[1], texts[2]);
  EXPECT_EQ(merge.conflicts, 1U);
}

// The merge as git does it, with whether it was clean; empty without git.
class Git {
 public:
  Git() {
    std::string name = (std::filesystem::temp_directory_path() / "merge-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Git() { std::filesystem::remove_all(folder_); }
  Git(const Git&) = delete;
  Git& operator=(const Git&) = delete;

  static bool found() { return std::system("git --version >/dev/null 2>&1") == 0; }

  Merge merge(std::string_view base, std::string_view mine, std::string_view theirs) const {
    write("base", base);
    write("mine", mine);
    write("theirs", theirs);
    FILE* git =
        popen(("cd '" + folder_.string() +
               "' && git merge-file -p --diff3 -L yours -L base -L current mine base theirs")
                  .c_str(),
              "r");
    Merge out;
    std::array<char, 4096> part{};
    while (const std::size_t got = std::fread(part.data(), 1, part.size(), git)) {
      out.text.append(part.data(), got);
    }
    out.conflicts = static_cast<std::size_t>(WEXITSTATUS(pclose(git)));
    return out;
  }

 private:
  void write(const char* name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

// Lines that occur once leave only one shortest diff, so that every difference from git's would be
// one of the merge.
TEST(Merge, IsWhatGitMakesOfUniqueLines) {
  if (!Git::found()) GTEST_SKIP() << "there is no git";
  const Git git;
  Texts texts(14);
  std::size_t clean = 0;
  for (int round = 0; round < 60; ++round) {
    const auto base = numbered(20);
    const auto mine = texts.edited(base, 8);
    auto theirs = texts.edited(base, 8);
    if (round % 5 == 0) theirs = texts.edited(mine, 12);  // with changes that both have
    const Merge want = git.merge(joined(base), joined(mine), joined(theirs));
    const Merge merge = merge_lines(joined(base), joined(mine), joined(theirs));
    ASSERT_EQ(merge.text, want.text) << joined(base) << "--- mine\n" << joined(mine);
    ASSERT_EQ(merge.conflicts, want.conflicts);
    clean += merge.clean() ? 1U : 0U;
  }
  EXPECT_GT(clean, 5U);
  EXPECT_LT(clean, 55U);
}

}  // namespace
}  // namespace helve::diff
