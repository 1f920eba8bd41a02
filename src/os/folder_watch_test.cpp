// What happens to files is told once, whatever way it happens; both with inotify and by looking.
#include "os/folder_watch.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <thread>

#include "base/ids.h"
#include "base/texts.h"
#include "os/files.h"

namespace helve::os {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FolderWatchTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    fs::create_directories(project_);
    write("helve.json", "{}");
  }
  void TearDown() override { fs::remove_all(top_); }

  void write(const fs::path& file, const std::string& text) {
    std::ofstream(project_ / file) << text;
  }

  WatchSettings settings() const { return {.settle = 20ms, .poll = 50ms, .inotify = GetParam()}; }

  // How often it was told within the time that it takes to be told of what `act` did. The
  // time is cut short once it was told often enough.
  int told(const std::function<void()>& act, int expected) {
    Loop loop;
    int count = 0;
    FolderWatch watch(
        loop, {{project_, "helve.json"}, {project_ / "recipes", "*.json"}}, [&] { ++count; }, {},
        settings());
    loop.spawn([&]() -> boost::asio::awaitable<void> {
      act();
      for (int i = 0; i < 200 && count < std::max(expected, 1); ++i) {
        co_await Loop::sleep(10ms);
        if (expected == 0 && i == 30) break;
      }
      co_await Loop::sleep(60ms);  // for a second telling that must not come
      loop.stop();
    });
    loop.run();
    return count;
  }

  fs::path top_ = fs::temp_directory_path() / ("helve-watch-" + random_hex(8));
  fs::path project_ = top_ / "above" / "project";
};

INSTANTIATE_TEST_SUITE_P(FolderWatch, FolderWatchTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Inotify" : "Looking"; });

struct Case {
  const char* name;
  std::function<void(const fs::path& project)> before, act;
  int want;
};

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

const Case kCases[] = {
    {"nothing", {}, [](const fs::path&) {}, 0},
    {"a file is written", {}, [](const fs::path& p) { put(p / "helve.json", "{ }"); }, 1},
    {"the same bytes are written again",
     {},
     [](const fs::path& p) { put(p / "helve.json", "{}"); },
     1},
    {"an editor renames over it",
     {},
     [](const fs::path& p) {
       put(p / ".helve.json.swp", "{ }");
       fs::rename(p / ".helve.json.swp", p / "helve.json");
     },
     1},
    {"an editor moves it away and writes a new one",
     {},
     [](const fs::path& p) {
       fs::rename(p / "helve.json", p / "helve.json~");
       put(p / "helve.json", "{}");
     },
     1},
    {"it is deleted", {}, [](const fs::path& p) { fs::remove(p / "helve.json"); }, 1},
    {"it is made", [](const fs::path& p) { fs::remove(p / "helve.json"); },
     [](const fs::path& p) { put(p / "helve.json", "{}"); }, 1},
    {"another file beside it", {}, [](const fs::path& p) { put(p / "notes.txt", "x"); }, 0},
    {"a recipe is written", [](const fs::path& p) { fs::create_directory(p / "recipes"); },
     [](const fs::path& p) { put(p / "recipes" / "a.json", "\"x\""); }, 1},
    {"a file that is no recipe", [](const fs::path& p) { fs::create_directory(p / "recipes"); },
     [](const fs::path& p) { put(p / "recipes" / "a.txt", "x"); }, 0},
    {"the recipes appear with one in them",
     {},
     [](const fs::path& p) {
       fs::create_directory(p / "recipes");
       put(p / "recipes" / "a.json", "\"x\"");
     },
     1},
    {"the recipes are moved away",
     [](const fs::path& p) {
       fs::create_directory(p / "recipes");
       put(p / "recipes" / "a.json", "\"x\"");
     },
     [](const fs::path& p) { fs::rename(p / "recipes", p / "old"); }, 1},
    {"the folder is moved away",
     {},
     [](const fs::path& p) { fs::rename(p, p.parent_path() / "moved"); },
     1},
    {"the folder above is moved away",
     {},
     [](const fs::path& p) {
       fs::rename(p.parent_path(), p.parent_path().parent_path() / "moved");
     },
     1},
    {"another folder takes its place",
     [](const fs::path& p) {
       fs::create_directory(p.parent_path() / "other");
       put(p.parent_path() / "other" / "helve.json", "{}");
     },
     [](const fs::path& p) {
       fs::rename(p, p.parent_path() / "moved");
       fs::rename(p.parent_path() / "other", p);
     },
     1},
    {"what a link leads to is written",
     [](const fs::path& p) {
       fs::create_directory(p.parent_path() / "dotfiles");
       fs::rename(p / "helve.json", p.parent_path() / "dotfiles" / "h.json");
       fs::create_symlink("../dotfiles/h.json", p / "helve.json");
     },
     [](const fs::path& p) { put(p.parent_path() / "dotfiles" / "h.json", "{ }"); }, 1},
    {"a link to the folder leads elsewhere",
     [](const fs::path& p) {
       fs::rename(p, p.parent_path() / "v1");
       fs::create_directory(p.parent_path() / "v2");
       put(p.parent_path() / "v2" / "helve.json", "{}");
       fs::create_symlink("v1", p);
     },
     [](const fs::path& p) {
       fs::create_symlink("v2", p.parent_path() / "new");
       fs::rename(p.parent_path() / "new", p);
     },
     1},
    {"a link in a circle", [](const fs::path& p) { fs::create_symlink("recipes", p / "recipes"); },
     [](const fs::path& p) { put(p / "helve.json", "{ }"); }, 1},
};

TEST_P(FolderWatchTest, TellsOfWhatHappens) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    fs::remove_all(top_);
    SetUp();
    if (c.before) c.before(project_);
    EXPECT_EQ(told([&] { c.act(project_); }, c.want), c.want);
  }
}

// Each step waits until the one before has been told, so that none may be lost on the way.
TEST_P(FolderWatchTest, GoesOnAfterEverythingWentAndCameBack) {
  Loop loop;
  int count = 0;
  const fs::path away = top_ / "away";
  const std::function<void()> steps[] = {
      [&] { fs::rename(top_ / "above", away); },
      [&] { fs::create_directories(project_), write("helve.json", "{}"); },
      [&] { write("helve.json", "{ }"); },
      [&] { fs::remove_all(top_ / "above"); },
      [&] { fs::rename(away, top_ / "above"); },
      [&] { fs::create_directory(project_ / "recipes"), write("recipes/a.json", "1"); },
      [&] { write("recipes/a.json", "2"); },
  };
  FolderWatch watch(
      loop, {{project_, "helve.json"}, {project_ / "recipes", "*.json"}}, [&] { ++count; }, {},
      settings());
  loop.spawn([&]() -> boost::asio::awaitable<void> {
    int want = 0;
    for (const auto& step : steps) {
      step();
      ++want;
      for (int i = 0; i < 500 && count < want; ++i) co_await Loop::sleep(10ms);
      EXPECT_EQ(count, want);
    }
    loop.stop();
  });
  loop.run();
}

TEST_P(FolderWatchTest, ManyChangesTogetherAreToldOnce) {
  EXPECT_EQ(told(
                [&] {
                  fs::create_directory(project_ / "recipes");
                  for (int i = 0; i < 50; ++i) {
                    write("recipes/" + std::to_string(i) + ".json", "1");
                    write("helve.json", std::string(static_cast<size_t>(i), ' '));
                  }
                },
                1),
            1);
}

TEST_P(FolderWatchTest, MayBeEndedWhileItTells) {
  Loop loop;
  std::unique_ptr<FolderWatch> watch;
  watch = std::make_unique<FolderWatch>(
      loop, std::vector<WatchSpot>{{project_, "helve.json"}},
      [&] {
        watch.reset();  // the loop then has nothing left to do
      },
      nullptr, settings());
  write("helve.json", "{ }");
  loop.run();
  EXPECT_EQ(watch, nullptr);
}

// From here on this thread gets EMFILE for every inotify_init1.
bool forbid_inotify() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_inotify_init1, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

struct Limited {
  std::vector<std::string> troubles;
  int count = 0;
  bool polls = false;
};

Limited watch_without_inotify(const fs::path& folder) {
  Limited seen;
  Loop loop;
  EXPECT_TRUE(forbid_inotify());
  FolderWatch watch(
      loop, {{folder, "a"}},
      [&] {
        ++seen.count;
        loop.stop();
      },
      [&](const Refusal& why) { seen.troubles.push_back(render(why).rule); },
      {.settle = 5ms, .poll = 10ms});
  seen.polls = watch.polls();
  std::ofstream(folder / "a") << "x";
  loop.run();
  return seen;
}

TEST(FolderWatchLimits, WithoutInotifyItSaysSoOnceAndLooks) {
  const fs::path folder = fs::temp_directory_path() / ("helve-watch-" + random_hex(8));
  fs::create_directory(folder);
  Limited seen;
  std::thread([&] { seen = watch_without_inotify(folder); }).join();
  EXPECT_TRUE(seen.polls);
  EXPECT_EQ(seen.count, 1);
  EXPECT_EQ(seen.troubles, std::vector<std::string>{"watch.unavailable"});
  fs::remove_all(folder);
}

}  // namespace
}  // namespace helve::os
