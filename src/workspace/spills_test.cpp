// Full texts that can be had again: where they lie, under which names, and for how long.
#include "workspace/spills.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "base/encoded.h"
#include "base/ids.h"
#include "base/text.h"
#include "base/texts.h"
#include "workspace/bounded.h"
#include "workspace/output.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;

class SpillsTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(root_); }
  void TearDown() override { fs::remove_all(root_); }

  std::string content(const fs::path& relative) const {
    std::ifstream in(root_ / relative, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::set<std::string> results() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_ / ".helve/results")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  void make_old(const fs::path& relative, std::chrono::hours age) const {
    fs::last_write_time(root_ / relative, fs::file_time_type::clock::now() - age);
  }

  const fs::path root_ = fs::temp_directory_path() / ("helve-spills-test-" + random_hex(8));
};

TEST_F(SpillsTest, KeepsTheFullTextUnderTheNameOfTheCall) {
  SCOPED_TRACE("WS-25");
  Spills spills(root_);
  const Result<std::string> path = spills.keep("s", "call-1_A", "the full text");
  ASSERT_TRUE(path) << render_text(path.error());
  EXPECT_EQ(*path, ".helve/results/call-1_A.txt");
  EXPECT_EQ(content(*path), "the full text");
  struct stat facts{};
  ASSERT_EQ(::stat((root_ / *path).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0600U);
  EXPECT_EQ(content(".helve/results/.gitignore"), "*\n");
  EXPECT_EQ(results(), (std::set<std::string>{".gitignore", "call-1_A.txt"}))
      << "no temporary is left";
}

TEST_F(SpillsTest, GivesTheSameFileForTheSameName) {
  SCOPED_TRACE("WS-25 the same callId again");
  Spills spills(root_);
  EXPECT_EQ(spills.keep("s", "c", "first").value(), spills.keep("s", "c", "second").value());
  EXPECT_EQ(content(".helve/results/c.txt"), "second");
}

TEST_F(SpillsTest, TakesOnlyPlainNamesAsFileNames) {
  SCOPED_TRACE("WS-25 else its SHA-256 in base32");
  Spills spills(root_);
  const struct {
    const char* name;
    std::string call, want;
  } cases[] = {
      {"WS-25 the longest", std::string(64, 'a'), std::string(64, 'a')},
      {"WS-25 empty", "", "4oymiquy7qobjgx36tejs35zeqt24qpemsnzgtfeswmrw6csxbkq"},
      {"WS-25 of a path", "abc", "abc"},
      {"WS-25 upwards", "../../x", ""},
      {"WS-25 a folder", "a/b", ""},
      {"WS-25 a dot", ".gitignore", ""},
      {"WS-25 too long", std::string(65, 'a'), ""},
      {"WS-25 not ASCII", "\u00e4", ""},
      {"WS-25 a line end", "a\n", ""},
  };
  for (const auto& [name, call, want] : cases) {
    SCOPED_TRACE(name);
    const fs::path path = spills.keep("s", call, "text").value();
    EXPECT_EQ(path.parent_path(), ".helve/results");
    if (!want.empty()) EXPECT_EQ(path.stem(), want);
    if (want.empty()) EXPECT_EQ(path.stem().string().size(), 52U) << path;
    EXPECT_EQ(content(path), "text");
  }
}

TEST_F(SpillsTest, FollowsNoLink) {
  SCOPED_TRACE("WS-25 exclusive creation, the folder itself");
  const fs::path outside = root_ / "outside";
  fs::create_directory(outside);
  const struct {
    const char* name;
    fs::path link, parent;
  } cases[] = {{"WS-25 .helve is a link", ".helve", ""},
               {"WS-25 results is a link", ".helve/results", ".helve"}};
  for (const auto& [name, link, parent] : cases) {
    SCOPED_TRACE(name);
    if (!parent.empty()) fs::create_directory(root_ / parent);
    fs::create_directory_symlink(outside, root_ / link);
    const auto kept = Spills(root_).keep("s", "c", "text");
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().rule, "path.loop");
    EXPECT_TRUE(fs::is_empty(outside));
    EXPECT_FALSE(Spills(root_).was_here(".helve/results/c.txt"));
    fs::remove_all(root_ / ".helve");
  }
  SCOPED_TRACE("WS-25 a link in the place of a result is replaced, not followed");
  fs::create_directories(root_ / ".helve/results");
  fs::create_symlink(outside / "x", root_ / ".helve/results/c.txt");
  ASSERT_TRUE(Spills(root_).keep("s", "c", "text"));
  EXPECT_TRUE(fs::is_empty(outside));
  EXPECT_FALSE(fs::is_symlink(root_ / ".helve/results/c.txt"));
}

TEST_F(SpillsTest, GivesNoPointerToWhatWasNotWritten) {
  const struct {
    const char* name;
    std::function<void()> before;
    const char* rule;
  } cases[] = {
      {"WS-26 WF-31 there is no workspace", [&] { fs::remove_all(root_); }, "file.not_found"},
      {"WS-26 a file in the way", [&] { std::ofstream(root_ / ".helve") << "x"; },
       "file.not_found"},
      {"WS-26 a folder in the way",
       [&] { fs::create_directories(root_ / ".helve/results/c.txt/x"); }, "file.is_directory"},
  };
  for (const auto& [name, before, rule] : cases) {
    SCOPED_TRACE(name);
    fs::remove_all(root_);
    fs::create_directory(root_);
    before();
    const auto kept = Spills(root_).keep("s", "c", "text");
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().rule, rule);
  }
}

// Files of this process may not grow beyond this while it lives.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, signal_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit old_{};
  void (*signal_)(int);
};

TEST_F(SpillsTest, SaysThatTheRestIsLostWhereItCannotBeWritten) {
  SCOPED_TRACE("WS-26 WR-11 the marker says that the rest is lost instead of naming a file");
  const std::string text(100'000, 'x');
  Result<std::string> kept;
  {
    const SmallFiles limit(4'096);
    kept = Spills(root_).keep("s", "c", text);
  }
  ASSERT_FALSE(kept);
  EXPECT_EQ(results(), std::set<std::string>{".gitignore"}) << "half a file is no file";
  const Elsewhere nowhere{.reason = render(kept.error()).message};
  const Bounded bounded = bound_text(text, 1'000, 36'000, nowhere);
  EXPECT_NE(bounded.text.find(nowhere.reason), std::string::npos);
  EXPECT_EQ(bounded.text.find(".helve/results/c.txt;"), std::string::npos);
}

TEST_F(SpillsTest, HoldsTheWholeOfAFiveMegabyteResult) {
  SCOPED_TRACE("WR-11 WS-24 WS-25 what was cut can be got");
  std::string bytes;
  for (int i = 0; bytes.size() < 5'000'000; ++i) {
    bytes += "\x1b[32mstep " + std::to_string(i) + "\x1b[0m \u2264\r\n";
  }
  Output output;
  std::string text;
  output.feed(bytes, text);
  output.finish(text);
  const std::string path = Spills(root_).keep("s", "c", text).value();
  const Bounded bounded = bound_text(text, 30'000, 36'000, {.path = path});
  EXPECT_EQ(content(path), text);
  const std::size_t marker = bounded.text.find("[\u2026");
  const std::size_t end = bounded.text.find('\n', marker) + 1;
  EXPECT_NE(bounded.text.substr(marker, end - marker).find(path), std::string::npos);
  EXPECT_EQ(marker + bounded.left_out.bytes + bounded.text.size() - end, text.size());
}

TEST_F(SpillsTest, KeepsHeadAndTailOfWhatIsTooLarge) {
  SCOPED_TRACE("WS-27 one spill, with the gap stated");
  const Spills::Limits limits{.file_bytes = 1'000};
  std::string text;
  while (text.size() < 50'000) text += "\u2264 line " + std::to_string(text.size()) + "\n";
  const std::string kept = content(Spills(root_, limits).keep("s", "c", text).value());
  EXPECT_LE(kept.size(), 1'000U);
  EXPECT_TRUE(is_utf8(kept));
  const std::size_t gap = kept.find("\n[\u2026");
  ASSERT_NE(gap, std::string::npos);
  const std::size_t tail = kept.find("]\n", gap) + 2;
  EXPECT_TRUE(text.starts_with(kept.substr(0, gap)));
  EXPECT_TRUE(text.ends_with(kept.substr(tail)));
  const std::string missing = std::to_string(text.size() - gap - (kept.size() - tail));
  EXPECT_NE(kept.substr(gap, tail - gap).find(missing), std::string::npos);
}

TEST_F(SpillsTest, TakesATextInPieces) {
  SCOPED_TRACE("WS-25 WS-27 a log that memory does not hold");
  Spills spills(root_, {.file_bytes = 1'000});
  auto draft = spills.begin("s", "c").value();
  draft.add(0, "head\n");
  draft.add(123, "after the gap\n");
  draft.add(0, std::string(5'000, 'q'));
  EXPECT_FALSE(fs::exists(root_ / ".helve/results/c.txt")) << "half a file is no file";
  const std::string kept = content(draft.finish().value());
  EXPECT_TRUE(kept.starts_with("head\n\n[\u2026123 bytes")) << kept.substr(0, 80);
  EXPECT_NE(kept.find("]\nafter the gap\nqqq"), std::string::npos);
  const auto shown = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 'q'));
  EXPECT_NE(kept.find(std::to_string(5'000 - shown) + " bytes"), std::string::npos);
  {
    const auto dropped = spills.begin("s", "d").value();
  }
  EXPECT_EQ(results(), (std::set<std::string>{".gitignore", "c.txt"})) << "nothing unfinished";
}

TEST_F(SpillsTest, LetsTheOldestOfASessionGo) {
  SCOPED_TRACE("WS-27 a session's bytes and files, the oldest first");
  const Spills::Limits limits{.session_bytes = 1'000, .session_files = 3};
  Spills spills(root_, limits);
  const std::string text(400, 'x');
  const auto path = [](const char* name) { return fs::path(".helve/results") / name; };
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(spills.keep("s", name, text));
  ASSERT_TRUE(spills.keep("other", "d", text)) << "another session has its own quota";
  EXPECT_TRUE(spills.was_here(path("a.txt"))) << "three times 400 bytes are too much";
  EXPECT_FALSE(fs::exists(root_ / path("a.txt")));
  for (const char* name : {"b.txt", "c.txt", "d.txt"}) {
    EXPECT_TRUE(fs::exists(root_ / path(name))) << name;
    EXPECT_FALSE(spills.was_here(path(name))) << name;
  }
  for (const char* name : {"e", "f", "g"}) ASSERT_TRUE(spills.keep("s", name, "small"));
  EXPECT_TRUE(spills.was_here(path("b.txt"))) << "four files are too many";
  EXPECT_TRUE(fs::exists(root_ / path("g.txt")));
  ASSERT_TRUE(spills.keep("s", "a", "again"));
  EXPECT_FALSE(spills.was_here(path("a.txt"))) << "it is here again";
}

TEST_F(SpillsTest, LetsGoWhatIsOldAndRemembersThatItWasHere) {
  SCOPED_TRACE("WS-27 age 7 days; spill.expired, not file.not_found, after a restart too");
  const fs::path old = Spills(root_).keep("s", "old", "text").value();
  const fs::path young = Spills(root_).keep("s", "young", "text").value();
  std::ofstream(root_ / ".helve/results/.spill-0011") << "half";
  std::ofstream(root_ / ".helve/results/notes.md") << "of the agent";
  make_old(old, std::chrono::hours(24 * 7 + 1));
  make_old(young, std::chrono::hours(24 * 7 - 1));
  make_old(".helve/results/.spill-0011", std::chrono::hours(2));
  make_old(".helve/results/notes.md", std::chrono::hours(24 * 30));
  ASSERT_TRUE(Spills(root_).keep("s", "new", "text"));
  const std::set<std::string> left = results();
  EXPECT_FALSE(left.contains("old.txt"));
  EXPECT_TRUE(left.contains("young.txt"));
  EXPECT_FALSE(left.contains(".spill-0011")) << "what a kill left unfinished";
  EXPECT_TRUE(left.contains("notes.md")) << "not ours";
  const Spills later(root_);
  EXPECT_TRUE(later.was_here(old));
  EXPECT_FALSE(later.was_here(young));
}

TEST_F(SpillsTest, KnowsOnlyItsOwn) {
  SCOPED_TRACE("WS-27 a later read of an evicted one");
  Spills spills(root_, {.session_files = 1});
  EXPECT_FALSE(spills.was_here(".helve/results/a.txt")) << "no folder yet";
  ASSERT_TRUE(spills.keep("s", "a", "text"));
  ASSERT_TRUE(spills.keep("s", "b", "text"));
  EXPECT_TRUE(spills.was_here(".helve/results/a.txt"));
  for (const char* path :
       {".helve/results/never.txt", ".helve/results/a", "a.txt", ".helve/results/../results/a.txt",
        "/.helve/results/a.txt", ".helve/results/.removed", ".helve/results/", ""}) {
    EXPECT_FALSE(spills.was_here(path)) << path;
  }
}

TEST_F(SpillsTest, ForgetsTheOldestNamesInTheEnd) {
  SCOPED_TRACE("WS-27 the memory of them is bounded");
  Spills spills(root_, {.session_files = 1});
  ASSERT_TRUE(spills.keep("s", "first", "text"));
  ASSERT_TRUE(spills.keep("s", "second", "text"));
  std::ofstream file(root_ / ".helve/results/.removed", std::ios::app);
  for (int i = 0; i < 20'000; ++i) file << std::string(60, 'n') << i << ".txt\n";
  file.close();
  ASSERT_TRUE(spills.keep("s", "third", "text"));
  EXPECT_FALSE(spills.was_here(".helve/results/first.txt"));
  EXPECT_TRUE(spills.was_here(".helve/results/second.txt"));
  EXPECT_LT(fs::file_size(root_ / ".helve/results/.removed"), 1U << 20);
}

TEST_F(SpillsTest, MayBeUsedByManyThreads) {
  SCOPED_TRACE("WS-25 WS-27 any thread");
  Spills spills(root_, {.session_files = 5});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&spills, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(t) + "-" + std::to_string(i);
        EXPECT_TRUE(spills.keep("s" + std::to_string(t % 2), name, name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results().size(), 2U + 2 * 5) << "two sessions, .gitignore and .removed";
}

}  // namespace
}  // namespace helve::workspace
