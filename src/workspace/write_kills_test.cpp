// A writer that is killed at each of its system calls (WR-16, WS-78, WS-79): what a worker does for
// `write`, from the path to the new bytes, without the loop around it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "os/testing/killing.h"
#include "os/testing/replacing.h"
#include "os/testing/scratch.h"
#include "workspace/paths.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using os::testing::Followed;
using os::testing::Scratch;
using os::testing::status_of;

constexpr std::string_view kOld = "the old bytes, which are longer than the new ones";

struct Case {
  const char* name;
  std::string path;
  std::string text;
  bool durable = false;
  bool in_place = false;  // by design not at once, but with all of it beside the file
};

const Case kCases[] = {
    {"a file", "work/file", "the new bytes"},
    {"a file, for good", "work/file", "the new bytes", true},
    {"a new file", "work/new", "the new bytes"},
    {"a new file, for good", "work/new", "the new bytes", true},
    {"a new file in new folders", "work/some/where/new", "the new bytes"},
    {"a file behind a link", "work/link", "the new bytes"},
    {"a file with room made for it", "work/file", std::string(1'200'000, 'n')},
    {"a file with a second name", "work/twin", "the new bytes", false, true},
    {"a longer one with a second name, for good", "work/twin", std::string(100'000, 'n'), true,
     true},
};

class Kills {
 public:
  explicit Kills(const Case& by) : by_(by) {
    disk_.write("work/file", std::string(kOld), 0640);
    disk_.write("work/twin", std::string(kOld), 0604);
    fs::create_hard_link(disk_ / "work/twin", disk_ / "work/second");
    fs::create_symlink("file", disk_ / "work/link");
    settings_.root = disk_ / "work";
    settings_.reach = Reach::kRoots;
    settings_.state = disk_ / "state";
    before_ = facts();
  }

  bool write() const {
    const Paths paths(settings_);
    const auto place = paths.resolve((disk_ / by_.path).string());
    if (!place) return false;
    const auto target = paths.target(*place, true);
    if (!target) return false;
    std::optional<os::Identity> expected;
    if (target->there) expected = os::identity_of(target->there->status);
    const std::array<std::string_view, 1> pieces = {by_.text};
    return os::replace_file({.folder = target->folder.get(),
                             .name = target->name,
                             .shown = by_.path,
                             .pieces = pieces,
                             .expected = expected,
                             .durable = by_.durable})
        .has_value();
  }

  // What is there after a kill: "old", "new", or what else.
  std::string found() const {
    if (facts() != before_) return "other facts:" + facts();
    if (!fs::exists(disk_ / by_.path)) return before_bytes_.empty() ? "old" : "gone";
    const std::string bytes = disk_.read(by_.path);
    if (by_.in_place && disk_.read("work/second") != bytes) return "the two names differ";
    if (bytes == by_.text) return "new";
    return bytes == before_bytes_ ? "old" : "neither";
  }

  std::vector<fs::path> leftovers() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::recursive_directory_iterator(disk_ / "work")) {
      const std::string name = entry.path().filename();
      if (name.starts_with(".helve-")) all.push_back(entry.path());
    }
    return all;
  }
  bool new_bytes_lie_beside() const {
    const auto left = leftovers();
    return left.size() == 1 && disk_.read(left.front()) == by_.text;
  }

  // The next write comes later, by another process.
  bool later_write_clears() const {
    for (const fs::path& file : leftovers()) {
      const std::array<timespec, 2> times = {timespec{.tv_sec = 1'000'000}, {.tv_sec = 1'000'000}};
      ::utimensat(AT_FDCWD, file.c_str(), times.data(), 0);
    }
    return write() && leftovers().empty() && found() == "new";
  }

 private:
  // What must be as before, whatever happens: kind, mode, owner and names of each file.
  std::string facts() const {
    std::string said;
    for (const char* name : {"file", "twin", "second", "link"}) {
      const struct stat status = status_of(disk_ / "work" / name);
      said += ' ' + std::to_string(status.st_mode) + ' ' + std::to_string(status.st_uid) + ' ' +
              std::to_string(status.st_gid) + ' ' + std::to_string(status.st_nlink);
    }
    const bool same =
        status_of(disk_ / "work/twin").st_ino == status_of(disk_ / "work/second").st_ino;
    return said + (same ? " same " : " apart ") + fs::read_symlink(disk_ / "work/link").string();
  }

  const Case& by_;
  Scratch disk_;
  Settings settings_;
  std::string before_;
  std::string before_bytes_ = by_.path.ends_with("new") ? "" : std::string(kOld);
};

// How many kills there were; the child then came to its end.
std::size_t kill_everywhere(const Case& c) {
  for (std::size_t at = 0;; ++at) {
    SCOPED_TRACE("killed at system call " + std::to_string(at));
    const Kills kills(c);
    const Followed followed = os::testing::kill_at_call(at, [&] { kills.write(); });
    const std::string found = kills.found();
    if (followed == Followed::kEnded) {
      EXPECT_EQ(found, "new");
      EXPECT_TRUE(kills.leftovers().empty());
      return at;
    }
    const bool in_between = c.in_place && found == "neither" && kills.new_bytes_lie_beside();
    EXPECT_TRUE(found == "old" || found == "new" || in_between) << found;
    EXPECT_TRUE(kills.later_write_clears()) << kills.found();
    if (::testing::Test::HasFailure()) return at;
  }
}

TEST(WriteKills, WR16AKillAtAnySystemCallLeavesTheOldBytesOrTheNew) {
  if (os::testing::kill_at_call(SIZE_MAX, [] {}) == Followed::kRefused) {
    GTEST_SKIP() << "this system lets nobody follow a process";
  }
  std::size_t kills = 0;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::size_t here = kill_everywhere(c);
    EXPECT_GT(here, 10U);
    kills += here;
  }
  std::printf("kills: %zu\n", kills);
}

}  // namespace
}  // namespace helve::workspace
