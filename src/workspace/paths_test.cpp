// What the words of a path decide, and what kinds of file are opened (WS-17 to WS-21).
#include "workspace/paths.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <tuple>

#include "base/text.h"
#include "base/texts.h"
#include "workspace/testing/grounds.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using testing::describe_open;
using testing::Grounds;

std::string describe(const Result<Place>& place) {
  if (!place) return place.error().rule;
  return place->path.string() + " " + place->shown + (place->in_environment ? " env" : "");
}

TEST(PathsResolve, GoesByTheNormalisedWords) {
  const std::string part(255, 'p');
  struct Case {
    const char* name;
    std::string path, want;
  };
  const Case cases[] = {
      {"WS-20 relative is below the workspace", "src/a.c", "/srv/work/src/a.c src/a.c"},
      {"WS-20 dots and slashes go", "./src//x/../a.c", "/srv/work/src/a.c src/a.c"},
      {"WS-20 absolute below it", "/srv/work/a", "/srv/work/a a"},
      {"WS-20 the workspace itself", ".", "/srv/work ."},
      {"WS-20 another root", "/srv/more/a", "/srv/more/a /srv/more/a"},
      {"WS-20 a neighbour whose name begins alike", "/srv/work2/a", "path.outside"},
      {"WS-20 up and out", "../secret", "path.outside"},
      {"WS-20 up and in again", "../work/a", "/srv/work/a a"},
      {"WS-20 up and out from far below", "a/b/../../../x", "path.outside"},
      {"WS-20 elsewhere", "/etc/passwd", "path.outside"},
      {"WS-20 empty", "", "path.empty"},
      {"WS-20 NUL", std::string("a\0b", 3), "path.nul"},
      {"WS-20 a home folder", "~", "path.tilde"},
      {"WS-20 below a home folder", "~/a", "path.tilde"},
      {"WS-20 a name that begins with a tilde", "~a", "/srv/work/~a ~a"},
      {"WS-20 a part of 255 bytes", part, "/srv/work/" + part + " " + part},
      {"WS-20 a part of 256 bytes", part + "p", "path.too_long"},
      {"WS-20 4,097 bytes", std::string(2, '/') + std::string(4095, '.'), "path.too_long"},
      {"WS-17 the environment", "/env", "/env /env env"},
      {"WS-17 below the environment", "/env/a/b", "/env/a/b /env/a/b env"},
      {"WS-18 WF-32 out of the environment", "/env/../x", "path.outside"},
      {"WS-18 WF-32 two slashes", "//env/x", "/env/x /env/x env"},
      {"WS-18 WF-32 by another folder", "/a/../env/x", "/env/x /env/x env"},
      {"WS-18 WF-32 from the workspace", "../../env/x", "/env/x /env/x env"},
      {"WS-18 a name that begins like the prefix", "/environment/x", "path.outside"},
      {"WS-21 control characters are not shown", "a\nb\x1b", "/srv/work/a\nb\x1b a b "},
      {"WS-21 invalid UTF-8 is not shown", "\xff", "/srv/work/\xff \xEF\xBF\xBD"},
  };
  Settings settings;
  settings.root = "/srv/work";
  settings.reach = Reach::kRoots;
  settings.roots = {"/srv/more/"};
  settings.environment = EnvironmentFolder{.prefix = "/env", .folder = "/srv/env"};
  const Paths paths(settings);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(paths.resolve(c.path)), c.want);
  }
  settings.reach = Reach::kOpen;
  const Paths open(settings);
  EXPECT_EQ(describe(open.resolve("../secret")), "/srv/secret /srv/secret");
  EXPECT_EQ(describe(open.resolve("/env/../etc/x")), "/etc/x /etc/x");
  EXPECT_EQ(describe(open.resolve("/../../etc/x")), "/etc/x /etc/x");
}

// With and without openat2, both reaches.
class PathsOpen : public ::testing::TestWithParam<std::tuple<bool, Reach>> {
 protected:
  Grounds grounds{std::get<1>(GetParam())};
  const os::testing::Scratch& disk = grounds.scratch;
  std::unique_ptr<Paths> paths = std::make_unique<Paths>(grounds.settings, std::get<0>(GetParam()));

  std::string open(std::string_view path) const { return describe_open(*paths, path); }
  Refusal refusal(std::string_view path) const {
    const Result<Opened> opened = paths->open(paths->resolve(path).value());
    return opened ? Refusal{} : opened.error();
  }
};
INSTANTIATE_TEST_SUITE_P(, PathsOpen,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Reach::kOpen, Reach::kRoots)));

TEST_P(PathsOpen, OnlyRegularFilesAreOpened) {
  SCOPED_TRACE("WS-20 the kind is checked before it is opened; WF-25 FIFOs and devices are opened");
  disk.write("work/a.txt", "text");
  ::mkfifo((disk / "work/fifo").c_str(), 0600);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  const std::string name = disk / "work/socket";
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(open("a.txt"), "text");
  EXPECT_EQ(open("fifo"), "file.special");
  EXPECT_EQ(refusal("fifo").args.back().second, text("file.kind.fifo"));
  EXPECT_EQ(open("socket"), "file.special");
  EXPECT_EQ(open("a.txt/x"), "file.not_found");
  if (grounds.settings.reach == Reach::kOpen) EXPECT_EQ(open("/dev/zero"), "file.special");
  ::close(socket);
}

TEST_P(PathsOpen, FilesOfProcAreFiles) {
  SCOPED_TRACE("WS-20 files under /proc and /sys that report size 0 are read");
  if (grounds.settings.reach == Reach::kRoots) {
    EXPECT_EQ(open("/proc/version"), "path.outside");
    return;
  }
  EXPECT_TRUE(open("/proc/version").contains("Linux"));
  EXPECT_TRUE(open("/proc/self/status").contains("Name:"));
  EXPECT_NE(open("/sys/kernel/mm/transparent_hugepage/enabled"), "file.special");
}

TEST_P(PathsOpen, AFolderIsRefusedWithWhatIsInIt) {
  SCOPED_TRACE("WS-20 file.is_directory with up to 40 names; WF-23 a directory is not missing");
  for (int i = 10; i < 70; ++i) disk.write("work/many/f" + std::to_string(i), "");
  disk.write("work/few/sub/x", "");
  disk.write("work/few/a\nb", "");
  EXPECT_EQ(open("many"), "file.is_directory");
  EXPECT_EQ(open("."), "file.is_directory");
  EXPECT_EQ(refusal("many").details.at("entries").as_array().size(), 40U);
  EXPECT_TRUE(render_text(refusal("many")).contains("f49, and more"));
  EXPECT_EQ(write_json(refusal("few").details), R"({"entries":["a b","sub/"]})");
}

TEST_P(PathsOpen, WhatIsMissingIsNamedWithWhatIsNear) {
  SCOPED_TRACE("WS-21 the first missing part, and up to 3 near names");
  for (const char* name : {"README.md", "src/main.cpp", "src/mail.cpp", "src/maine.cpp",
                           "src/man.cpp", "src/other.h"}) {
    disk.write(fs::path("work") / name, "");
  }
  const std::string near = render_text(refusal("src/mai.cpp"));
  EXPECT_TRUE(near.contains("there is no file src/mai.cpp\n")) << near;
  EXPECT_TRUE(near.contains("near it there is mail.cpp, main.cpp, man.cpp")) << near;
  EXPECT_EQ(refusal("src/mai.cpp").details.at("near").as_array().size(), 3U);
  EXPECT_TRUE(render_text(refusal("readme.md")).contains("README.md"));
  const std::string deep = render_text(refusal("scr/a/b/main.cpp"));
  EXPECT_TRUE(deep.contains(": scr is what is missing first")) << deep;
  EXPECT_TRUE(deep.contains("near it there is src/")) << deep;
  EXPECT_EQ(refusal("zzzzzzzzz").details.at("near").as_array().size(), 0U);
}

TEST_P(PathsOpen, PermissionIsNotAbsence) {
  SCOPED_TRACE("WS-21 EACCES is file.denied");
  if (!os::testing::is_root()) GTEST_SKIP() << "needs root, to become somebody without rights";
  disk.write("work/secret", "x", 0600);
  disk.write("work/closed/a", "x");
  ::chmod((disk / "work/closed").c_str(), 0700);
  EXPECT_EQ(os::testing::as_nobody([&] { return open("secret") + " " + open("closed/a"); }),
            "file.denied file.denied");
}

TEST_P(PathsOpen, AMissingRootRefusesTheCallAndIsFoundAgain) {
  SCOPED_TRACE("WS-21 a workspace that is gone");
  fs::remove_all(disk / "work");
  EXPECT_EQ(open("a"), "file.not_found");
  disk.write("work/a", "back");
  EXPECT_EQ(open("a"), "back");
  fs::remove_all(disk / "env");
  EXPECT_EQ(open("/env/a"), "file.not_found");
}

TEST_P(PathsOpen, TheEnvironmentIsOpenedBeneathItsFolder) {
  SCOPED_TRACE("WS-17 WS-18 WS-76 neither .. nor a link leads out of it");
  disk.write("env/a", "in");
  disk.write("env/deep/b", "deep");
  disk.write("outside/secret", "secret");
  fs::create_symlink("deep/b", disk / "env/link");
  fs::create_symlink("/env/a", disk / "env/by_prefix");
  fs::create_symlink(disk / "env/a", disk / "env/by_folder");
  fs::create_symlink("../outside/secret", disk / "env/up");
  fs::create_symlink(disk / "outside/secret", disk / "env/away");
  fs::create_symlink(disk / "outside", disk / "env/folder");
  struct Case {
    const char *path, *want;
  };
  constexpr Case kCases[] = {
      {"/env/a", "in"},
      {"//env/deep/../a", "in"},
      {"/env/link", "deep"},
      {"/env/by_prefix", "in"},
      {"/env/by_folder", "in"},
      {"/env/up", "path.outside"},
      {"/env/away", "path.outside"},
      {"/env/folder/secret", "path.outside"},
      {"/env", "file.is_directory"},
      {"/env/gone", "file.not_found"},
  };
  for (const Case& c : kCases) EXPECT_EQ(open(c.path), c.want) << c.path;
}

}  // namespace
}  // namespace helve::workspace
