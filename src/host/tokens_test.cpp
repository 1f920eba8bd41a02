// The token of a state folder: made once, kept private, compared without telling how far it fits.
#include "host/tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>
#include <set>
#include <sstream>

#include "base/texts.h"
#include "host/testing/folders.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;
using testing::Folders;

unsigned mode_of(const fs::path& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777U : 0;
}

TEST(Tokens, AreMadeAtTheFirstStartAndKept) {
  const Folders folders;
  const fs::path state = folders.top() / "state" / "helve" / "0123";
  const Result<Token> first = token_of(state, folders.around);
  ASSERT_TRUE(first) << render_text(first.error());
  EXPECT_EQ(first->reveal().size(), 4U + 64U);
  EXPECT_TRUE(first->reveal().starts_with("hlv_"));
  EXPECT_EQ(mode_of(token_file(state)), 0600U);
  EXPECT_EQ(mode_of(state), 0700U);
  EXPECT_EQ(std::distance(fs::directory_iterator(state), {}), 1);  // no temporary is left
  const Result<Token> second = token_of(state, folders.around);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->reveal(), first->reveal());
  EXPECT_NE(token_of(folders.top() / "other", folders.around)->reveal(), first->reveal());
}

TEST(Tokens, OfServersThatStartAtOnceAreOne) {
  for (int round = 0; round < 20; ++round) {
    const Folders folders;
    std::vector<std::future<std::string>> starts;
    for (int i = 0; i < 4; ++i) {
      starts.push_back(std::async(std::launch::async, [&folders] {
        const Result<Token> token = token_of(folders.top() / "state", folders.around);
        return token ? token->reveal() : token.error().rule;
      }));
    }
    std::set<std::string> tokens;
    for (auto& start : starts) tokens.insert(start.get());
    EXPECT_EQ(tokens.size(), 1U) << *tokens.begin();
  }
}

struct Case {
  const char *name, *text;
  mode_t mode;
  const char* want;
};

constexpr Case kFiles[] = {
    {"one of ours", "hlv_0123456789abcdef\n", 0600, "hlv_0123456789abcdef"},
    {"one that is only read", "hlv_0123456789abcdef", 0400, "hlv_0123456789abcdef"},
    {"read by the group", "hlv_0123456789abcdef", 0640, "token.exposed"},
    {"read by all", "hlv_0123456789abcdef", 0604, "token.exposed"},
    {"written by others", "hlv_0123456789abcdef", 0602, "token.exposed"},
    {"too short", "hlv_0123456789a", 0600, "token.too_short"},
    {"empty", "", 0600, "token.too_short"},
    {"two words", "hlv_01234 56789abcdef", 0600, "token.malformed"},
    {"two lines", "hlv_0123456789abcdef\nhlv_0123456789abcdef", 0600, "token.malformed"},
    {"not ASCII", "hlv_0123456789abcd\xC3\xA9", 0600, "token.malformed"},
};

TEST(Tokens, OfAFileThatIsThereAreReadOrRefused) {
  for (const Case& c : kFiles) {
    SCOPED_TRACE(c.name);
    const Folders folders;
    folders.write("state/token", c.text);
    fs::permissions(folders.top() / "state/token", static_cast<fs::perms>(c.mode));
    const Result<Token> token = token_of(folders.top() / "state", folders.around);
    EXPECT_EQ(token ? token->reveal() : token.error().rule, c.want);
    if (!token) EXPECT_FALSE(render_text(token.error()).contains("hlv_"));
  }
}

TEST(Tokens, AreNotReadThroughALink) {
  const Folders folders;
  folders.write("elsewhere", "hlv_0123456789abcdef");
  fs::permissions(folders.top() / "elsewhere", fs::perms::owner_read);
  fs::create_directory(folders.top() / "state");
  fs::create_symlink("../elsewhere", folders.top() / "state/token");
  const Result<Token> token = token_of(folders.top() / "state", folders.around);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().rule, "file.unreadable");
}

TEST(Tokens, OfTheVariableWin) {
  const Case variables[] = {
      {"long enough", "0123456789abcdef", 0, "0123456789abcdef"},
      {"one too few", "0123456789abcde", 0, "token.too_short"},
      {"empty is not unset", "", 0, "token.too_short"},
      {"a blank", "0123456789 abcdef", 0, "token.malformed"},
      {"a line end", "0123456789abcdef\n", 0, "token.malformed"},
  };
  for (const Case& c : variables) {
    SCOPED_TRACE(c.name);
    Folders folders;
    folders.around.variables["HELVE_TOKEN"] = c.text;
    const Result<Token> token = token_of(folders.top() / "state", folders.around);
    EXPECT_EQ(token ? token->reveal() : token.error().rule, c.want);
    EXPECT_FALSE(fs::exists(folders.top() / "state"));
  }
}

TEST(Tokens, MatchWholeAndNothingElse) {
  const Token token("hlv_0123456789abcdef");
  const struct {
    const char *name, *offered;
    bool fits;
  } cases[] = {
      {"the same", "hlv_0123456789abcdef", true},
      {"a beginning", "hlv_0123456789abcde", false},
      {"more", "hlv_0123456789abcdef0", false},
      {"another case", "HLV_0123456789abcdef", false},
      {"nothing", "", false},
      {"another first character", "xlv_0123456789abcdef", false},
      {"another last character", "hlv_0123456789abcdex", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(token.matches(c.offered), c.fits);
  }
}

TEST(Tokens, PrintAsStars) {
  std::ostringstream out;
  out << Token("hlv_0123456789abcdef");
  EXPECT_EQ(out.str(), "***");
  EXPECT_EQ(::testing::PrintToString(Token("hlv_0123456789abcdef")), "***");
}

}  // namespace
}  // namespace helve::host
