// Where links lead: within the roots, out of them, round in circles, and while they are swapped
// (WS-20, WS-22).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "workspace/paths.h"
#include "workspace/testing/grounds.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using testing::describe_open;
using testing::describe_target;
using testing::Grounds;

class PathsLinks : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    disk.write("work/a", "work");
    disk.write("work/sub/b", "sub");
    disk.write("more/m", "more");
    disk.write("outside/secret", "secret");
  }
  void link(const std::string& target, const char* name) const {
    fs::create_symlink(target, disk / "work" / name);
  }
  std::string open(std::string_view path) const { return describe_open(paths, path); }

  Grounds grounds;
  const os::testing::Scratch& disk = grounds.scratch;
  Paths paths{grounds.settings, GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, PathsLinks, ::testing::Bool());

TEST_P(PathsLinks, LeadWhereTheyMayAndNowhereElse) {
  const std::string top = disk.path().string();
  struct Case {
    const char *name, *link;
    std::string target;
    const char *path, *want;
  };
  const Case cases[] = {
      {"WS-22 read follows", "l1", "a", "l1", "work"},
      {"WS-22 a folder", "l2", "sub", "l2/b", "sub"},
      {"WS-22 up and down again", "sub/l3", "../sub/b", "sub/l3", "sub"},
      {"WS-20 an absolute one within", "l4", top + "/work/sub", "l4/b", "sub"},
      {"WS-20 into another root", "l5", top + "/more", "l5/m", "more"},
      {"WS-20 up into another root", "l6", "../more/m", "l6", "more"},
      {"WS-20 up and into the same root", "l7", "../work/a", "l7", "work"},
      {"WS-20 out", "l8", top + "/outside/secret", "l8", "path.outside"},
      {"WS-20 out by a folder", "l9", top + "/outside", "l9/secret", "path.outside"},
      {"WS-20 up and out", "l10", "../outside/secret", "l10", "path.outside"},
      {"WS-20 out by a chain", "l11", "l10", "l11", "path.outside"},
      {"WS-20 up from within", "sub/l12", "../../outside/secret", "sub/l12", "path.outside"},
      {"WS-20 to the root", "l13", "/", "l13/etc/passwd", "path.outside"},
      {"WS-20 through /proc", "l14", "/proc/self/cwd", "l14/x", "path.outside"},
      {"WS-22 to the workspace itself", "l15", ".", "l15/l15/a", "work"},
      {"WS-22 to where nothing is", "l16", "gone", "l16", "file.not_found"},
      {"WS-21 to itself", "l17", "l17", "l17", "path.loop"},
      {"WS-21 to a folder that is itself", "l18", "l18", "l18/a", "path.loop"},
      {"WS-22 with dots at the end", "l19", "sub/.", "l19/b", "sub"},
      {"WS-22 to a folder above", "sub/l20", "..", "sub/l20/a", "work"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    link(c.target, c.link);
    EXPECT_EQ(open(c.path), c.want);
  }
}

TEST_P(PathsLinks, FortyHopsAreFollowedAndNotOneMore) {
  SCOPED_TRACE("WS-22 at most 40 hops");
  link("a", "h1");
  for (int i = 2; i <= 41; ++i) {
    link("h" + std::to_string(i - 1), ("h" + std::to_string(i)).c_str());
  }
  EXPECT_EQ(open("h40"), "work");
  EXPECT_EQ(open("h41"), "path.loop");
  EXPECT_EQ(describe_target(grounds, paths, "h40"), "work/a");
  EXPECT_EQ(describe_target(grounds, paths, "h41"), "path.loop");
}

TEST_P(PathsLinks, ALinkFullOfDotsEnds) {
  SCOPED_TRACE("WS-21 bounded work for any link");
  std::string up;
  for (int i = 0; i < 500; ++i) up += "sub/../";
  link(up + "a", "dots");
  link(up + "dots", "more_dots");
  EXPECT_EQ(open("dots"), "work");
  EXPECT_EQ(describe_target(grounds, paths, "dots"), "work/a");
  const std::string more = describe_target(grounds, paths, "more_dots");
  EXPECT_TRUE(more == "work/a" || more == "path.loop") << more;
}

// Somebody swaps a folder for a link that leads out, and back, while files are opened.
TEST_P(PathsLinks, NothingOutsideIsOpenedWhateverIsSwapped) {
  SCOPED_TRACE("WS-20 paths swapped between check and open");
  disk.write("work/dir/secret", "inside");
  disk.write("work/keep/secret", "inside");
  link((disk / "outside").string(), "evil");
  link((disk / "outside/secret").string(), "evil_file");
  disk.write("work/file", "inside");
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    const auto swap = [&](const char* one, const char* two) {
      ::renameat2(AT_FDCWD, (disk / "work" / one).c_str(), AT_FDCWD, (disk / "work" / two).c_str(),
                  RENAME_EXCHANGE);
    };
    while (!stop) {
      swap("dir", "evil");
      swap("file", "evil_file");
    }
  });
  int inside = 0, refused = 0;
  for (int i = 0; i < 20'000 && (i < 1'000 || inside == 0 || refused == 0); ++i) {
    for (const char* path : {"dir/secret", "file", "dir/../keep/secret"}) {
      const std::string got = open(path);
      if (got == "inside") ++inside;
      if (got == "path.outside") ++refused;
      EXPECT_NE(got, "secret");
    }
    const std::string target = describe_target(grounds, paths, "dir/secret", false);
    EXPECT_TRUE(target == "work/dir/secret" || target == "path.outside") << target;
  }
  stop = true;
  swapper.join();
  EXPECT_GT(inside, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace helve::workspace
