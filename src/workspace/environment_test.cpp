// The read-only environment: its revision, and copies of it that commands use (WS-17 to WS-19).
#include "workspace/environment.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "os/testing/replacing.h"
#include "os/testing/scratch.h"
#include "workspace/detail/tree.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using os::testing::status_of;

class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    disk.write("env/tools/run.sh", "#!/bin/sh\n", 0755);
    disk.write("env/notes.md", "text", 0640);
    fs::create_directories(disk / "env/empty");
  }
  void TearDown() override { detail::remove_tree(disk / "stages"); }

  std::string revision() { return environment.revision().value_or("refused"); }
  std::vector<std::string> stages() const { return disk.names("stages"); }

  os::testing::Scratch disk;
  Environment environment{{.prefix = "/env", .folder = disk / "env"}, disk / "stages"};
};

TEST_F(EnvironmentTest, TheRevisionIsOverNamesModesAndContents) {
  SCOPED_TRACE("WS-19 which revision; content-addressed");
  const std::string first = revision();
  EXPECT_EQ(first.size(), 12U);
  EXPECT_EQ(revision(), first);
  struct Case {
    const char* name;
    std::function<void()> change, back;
  };
  const fs::path notes = disk / "env/notes.md";
  const Case cases[] = {
      {"other bytes", [&] { disk.write("env/notes.md", "texT", 0640); },
       [&] { disk.write("env/notes.md", "text", 0640); }},
      {"an x bit", [&] { ::chmod(notes.c_str(), 0740); }, [&] { ::chmod(notes.c_str(), 0640); }},
      {"another name", [&] { fs::rename(notes, disk / "env/n"); },
       [&] { fs::rename(disk / "env/n", notes); }},
      {"one more file", [&] { disk.write("env/new", ""); }, [&] { fs::remove(disk / "env/new"); }},
      {"one more folder", [&] { fs::create_directory(disk / "env/f"); },
       [&] { fs::remove(disk / "env/f"); }},
      {"a link", [&] { fs::create_symlink("notes.md", disk / "env/l"); },
       [&] { fs::remove(disk / "env/l"); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    c.change();
    EXPECT_NE(revision(), first);
    c.back();
    EXPECT_EQ(revision(), first);
  }
  ::chmod(notes.c_str(), 0600);  // who may read it is not part of it
  EXPECT_EQ(revision(), first);
}

TEST_F(EnvironmentTest, AStageIsAReadOnlyCopyOfThatRevision) {
  SCOPED_TRACE("WS-19 staged once per revision, in a temporary name and renamed");
  const Environment::Pin pin = environment.stage().value();
  EXPECT_EQ(pin->revision, revision());
  EXPECT_EQ(pin->folder, disk / "stages" / pin->revision);
  EXPECT_EQ(disk.read(pin->folder / "tools/run.sh"), "#!/bin/sh\n");
  EXPECT_EQ(status_of(pin->folder / "tools/run.sh").st_mode & 07777, 0555U);
  EXPECT_EQ(status_of(pin->folder / "notes.md").st_mode & 07777, 0444U);
  for (const char* folder : {"", "tools", "empty"}) {
    EXPECT_EQ(status_of(pin->folder / folder).st_mode & 07777, 0555U) << folder;
  }
  EXPECT_EQ(stages(), std::vector<std::string>{pin->revision});
  const ino_t inode = status_of(pin->folder).st_ino;
  EXPECT_EQ(environment.stage().value()->folder, pin->folder);
  Environment again({.prefix = "/env", .folder = disk / "env"}, disk / "stages");
  EXPECT_EQ(again.stage().value()->folder, pin->folder);
  EXPECT_EQ(status_of(pin->folder).st_ino, inode);
}

TEST_F(EnvironmentTest, ARevisionInUseStaysAndOthersGo) {
  SCOPED_TRACE("WS-19 pinned until the job ends");
  Environment::Pin first = environment.stage().value();
  const std::string one = first->revision;
  disk.write("env/notes.md", "second");
  Environment::Pin second = environment.stage().value();
  EXPECT_EQ(stages().size(), 2U);
  EXPECT_EQ(disk.read(first->folder / "notes.md"), "text");
  EXPECT_EQ(disk.read(second->folder / "notes.md"), "second");
  first.reset();
  disk.write("env/notes.md", "third");
  const Environment::Pin third = environment.stage().value();
  EXPECT_EQ(stages().size(), 2U);  // the second is still pinned
  EXPECT_FALSE(fs::exists(disk / "stages" / one));
  disk.write("env/notes.md", "text");
  EXPECT_EQ(environment.stage().value()->revision, one);  // made anew
}

TEST_F(EnvironmentTest, AnotherProcessKeepsWhatItUses) {
  SCOPED_TRACE("WS-19 pins hold over processes");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string one = revision();
  const pid_t child = ::fork();
  if (child == 0) {
    const Environment::Pin pin = environment.stage().value();
    (void)!::write(ends[1], "x", 1);
    ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  disk.write("env/notes.md", "second");
  EXPECT_TRUE(environment.stage().has_value());
  EXPECT_TRUE(fs::exists(disk / "stages" / one));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  disk.write("env/notes.md", "third");
  EXPECT_TRUE(environment.stage().has_value());
  EXPECT_FALSE(fs::exists(disk / "stages" / one));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(EnvironmentTest, LinksStayInside) {
  SCOPED_TRACE("WS-18 no link leads out of it");
  const std::string top = disk.path().string();
  disk.write("outside/secret", "secret");
  const auto link = [&](const std::string& target, const char* name) {
    fs::create_symlink(target, disk / "env" / name);
  };
  link("notes.md", "near");
  link("../notes.md", "tools/up");
  link("/env/notes.md", "prefixed");
  link(top + "/env/tools", "absolute");
  link("tools/later", "dangling");
  link("..", "tools/above");
  link("../outside/secret", "out");
  link(top + "/outside", "away");
  link("tools/above/../../outside/secret", "tricky");
  link("self", "self");
  ::mkfifo((disk / "env/fifo").c_str(), 0600);
  const Environment::Pin pin = environment.stage().value();
  struct Case {
    const char *name, *want;
  };
  constexpr Case kCases[] = {{"near", "notes.md"},        {"tools/up", "../notes.md"},
                             {"prefixed", "notes.md"},    {"absolute", "tools"},
                             {"dangling", "tools/later"}, {"tools/above", ".."}};
  for (const Case& c : kCases) {
    ASSERT_TRUE(fs::is_symlink(pin->folder / c.name)) << c.name;
    EXPECT_EQ(fs::read_symlink(pin->folder / c.name), c.want);
  }
  for (const char* name : {"out", "away", "tricky", "self", "fifo"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(pin->folder / name))) << name;
  }
}

TEST_F(EnvironmentTest, WhatCannotBeReadIsSaid) {
  SCOPED_TRACE("WS-17 WS-21 env.unreadable");
  if (!os::testing::is_root()) GTEST_SKIP() << "needs root, to become somebody without rights";
  ::chmod((disk / "env/notes.md").c_str(), 0600);
  EXPECT_EQ(os::testing::as_nobody([&] { return environment.revision().error().rule; }),
            "env.unreadable");
  fs::remove_all(disk / "env");
  EXPECT_EQ(environment.stage().error().rule, "env.unreadable");
}

TEST_F(EnvironmentTest, AFullDiskLeavesNoHalfStage) {
  SCOPED_TRACE("WS-19 a stage is whole or not there");
  if (!os::testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  disk.write("env/large", std::string(2'000'000, 'x'));
  fs::create_directory(disk / "stages");
  EXPECT_EQ(os::testing::with_mounts([&]() -> std::string {
              if (::mount("tmpfs", (disk / "stages").c_str(), "tmpfs", 0, "size=1m") != 0) {
                return "no tmpfs";
              }
              const auto staged = environment.stage();
              return staged ? "staged" : staged.error().rule + std::to_string(stages().size());
            }),
            "disk.full0");
}

TEST_F(EnvironmentTest, AMakerThatWasKilledLeavesNothingForLong) {
  SCOPED_TRACE("WS-19 unfinished stages are removed");
  const fs::path half = disk / "stages/.tmp-0011223344556677", fresh = disk / "stages/.tmp-new";
  for (const fs::path& folder : {half, fresh}) fs::create_directories(folder / "sub");
  ::chmod((half / "sub").c_str(), 0555);
  const std::array<timespec, 2> times = {timespec{.tv_sec = 1'000'000}, {.tv_sec = 1'000'000}};
  ::utimensat(AT_FDCWD, half.c_str(), times.data(), 0);
  const Environment::Pin pin = environment.stage().value();
  EXPECT_EQ(stages(), (std::vector<std::string>{".tmp-new", pin->revision}));
}

}  // namespace
}  // namespace helve::workspace
