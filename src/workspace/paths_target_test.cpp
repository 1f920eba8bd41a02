// Where a write goes, and where none may go (WS-17, WS-22, WS-23).
#include <gtest/gtest.h>

#include "os/testing/replacing.h"
#include "workspace/paths.h"
#include "workspace/testing/grounds.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using testing::describe_target;
using testing::Grounds;

class PathsTarget : public ::testing::TestWithParam<Reach> {
 protected:
  std::string target(std::string_view path, bool create_parents = true) const {
    return describe_target(grounds, paths, path, create_parents);
  }
  Grounds grounds{GetParam()};
  const os::testing::Scratch& disk = grounds.scratch;
  Paths paths{grounds.settings};
};
INSTANTIATE_TEST_SUITE_P(, PathsTarget, ::testing::Values(Reach::kOpen, Reach::kRoots));

TEST_P(PathsTarget, TheLastLinkIsFollowedToItsTarget) {
  SCOPED_TRACE("WS-22 the target is replaced, the link stays");
  disk.write("work/sub/a", "old");
  fs::create_symlink("sub/a", disk / "work/link");
  fs::create_symlink("link", disk / "work/again");
  fs::create_symlink("sub/new", disk / "work/dangling");
  fs::create_symlink("gone/new", disk / "work/nowhere");
  EXPECT_EQ(target("link"), "work/sub/a");
  EXPECT_EQ(target("again"), "work/sub/a");
  EXPECT_EQ(target("dangling"), "work/sub/new new");
  EXPECT_EQ(target("nowhere"), "file.not_found");
  EXPECT_FALSE(fs::exists(disk / "work/gone"));

  const Target place = paths.target(paths.resolve("again").value(), false).value();
  const std::array<std::string_view, 1> pieces = {"new"};
  EXPECT_EQ(
      os::testing::describe(os::replace_file({.folder = place.folder.get(),
                                              .name = place.name,
                                              .shown = "again",
                                              .pieces = pieces,
                                              .expected = os::identity_of(place.there->status)})),
      "replaced");
  EXPECT_EQ(disk.read("work/sub/a"), "new");
  EXPECT_TRUE(fs::is_symlink(disk / "work/link") && fs::is_symlink(disk / "work/again"));
}

TEST_P(PathsTarget, TheTargetOfALinkIsSubjectToTheSamePolicy) {
  SCOPED_TRACE("WS-22 a link out of the roots");
  disk.write("outside/a", "theirs");
  fs::create_symlink(disk / "outside/a", disk / "work/out");
  fs::create_symlink(disk / "outside/new", disk / "work/out_new");
  const bool open = GetParam() == Reach::kOpen;
  EXPECT_EQ(target("out"), open ? "outside/a" : "path.outside");
  EXPECT_EQ(target("out_new"), open ? "outside/new new" : "path.outside");
}

TEST_P(PathsTarget, MissingParentsAreMadeAndCounted) {
  SCOPED_TRACE("WS-23 parent folders are created on write, and counted");
  disk.write("work/file", "");
  EXPECT_EQ(target("x/y/z", false), "file.not_found");
  EXPECT_EQ(target("x/y/z"), "work/x/y/z new +2");
  EXPECT_EQ(target("x/y/z"), "work/x/y/z new");
  EXPECT_EQ(target("x/../w/z"), "work/w/z new +1");
  EXPECT_EQ(target("file/z"), "file.not_found");
  EXPECT_EQ(target("x"), "file.is_directory");
  EXPECT_EQ(target("."), "file.is_directory");
  ::mkdir((disk / "like").c_str(), 0777);
  EXPECT_EQ(os::testing::status_of(disk / "work/x").st_mode,
            os::testing::status_of(disk / "like").st_mode);
}

TEST_P(PathsTarget, TheEnvironmentIsNotWritten) {
  SCOPED_TRACE("WS-17 write and edit there: env.readonly_path; WF-32");
  disk.write("env/a", "");
  for (const char* path : {"/env/a", "/env/new", "/env", "//env/a", "/a/../env/a"}) {
    EXPECT_EQ(target(path), "env.readonly_path") << path;
  }
}

TEST_P(PathsTarget, TheConfigurationIsNotWrittenByAnyName) {
  SCOPED_TRACE("WS-22 path.configuration (decisions, section 2)");
  disk.write("work/helve.json", "{}");
  disk.write("work/recipes/deep/r.json", "{}");
  fs::create_symlink("helve.json", disk / "work/link");
  fs::create_symlink("recipes", disk / "work/folder");
  fs::create_symlink(".helve/new", disk / "work/dangling");
  fs::create_hard_link(disk / "work/helve.json", disk / "work/hard");
  fs::create_hard_link(disk / "work/recipes/deep/r.json", disk / "work/hard_recipe");
  const std::string absolute = (disk / "work/helve.json").string();
  for (const std::string& path :
       {std::string("helve.json"), std::string("./sub/../helve.json"), absolute,
        std::string("recipes/new.json"), std::string("recipes"), std::string("recipes/a/b"),
        std::string("recipes/deep/r.json"), std::string(".helve/results/x"), std::string("link"),
        std::string("folder/new"), std::string("folder/deep/r.json"), std::string("hard"),
        std::string("hard_recipe")}) {
    EXPECT_EQ(target(path), "path.configuration") << path;
  }
  EXPECT_NE(target("dangling"), "work/.helve/new new");
  EXPECT_FALSE(fs::exists(disk / "work/.helve") || fs::exists(disk / "work/recipes/a"));
  EXPECT_EQ(target("helve.json2"), "work/helve.json2 new");
  EXPECT_EQ(target("sub/helve.json"), "work/sub/helve.json new +1");
  EXPECT_EQ(testing::describe_open(paths, "helve.json"), "{}");  // reading is free
}

TEST_P(PathsTarget, TheConfigurationIsNotMadeEither) {
  SCOPED_TRACE("WS-22 a configuration file that is not there yet");
  EXPECT_EQ(target("helve.json"), "path.configuration");
  EXPECT_EQ(target("recipes/x.json"), "path.configuration");
  fs::create_symlink("helve.json", disk / "work/link");
  EXPECT_EQ(target("link"), "path.configuration");
  EXPECT_EQ(disk.names("work"), std::vector<std::string>{"link"});
}

TEST_P(PathsTarget, WhatAKillLeftBehindGoesWithTheFirstWriteThere) {
  SCOPED_TRACE("WS-78 stale temporaries are removed");
  const fs::path stale = disk.write("work/sub/.helve-00112233445566aa.tmp", "half");
  const std::array<timespec, 2> times = {timespec{.tv_sec = 1'000'000}, {.tv_sec = 1'000'000}};
  ::utimensat(AT_FDCWD, stale.c_str(), times.data(), 0);
  EXPECT_EQ(target("sub/a"), "work/sub/a new");
  EXPECT_FALSE(fs::exists(stale));
}

}  // namespace
}  // namespace helve::workspace
