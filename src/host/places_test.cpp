#include "host/places.h"

#include <gtest/gtest.h>

#include "base/texts.h"
#include "host/testing/folders.h"

namespace helve::host {
namespace {

using testing::Folders;

TEST(Places, TheNearestFileAboveIsTheProjects) {
  Folders folders;
  folders.write("home/project/helve.json", "{}");
  folders.write("home/project/a/b/c.txt", "");
  folders.around.cwd = folders.project() / "a" / "b";
  EXPECT_EQ(project_file({}, folders.around), folders.project() / "helve.json");
}

TEST(Places, TheSearchEndsBelowTheHomeFolder) {
  Folders folders;
  folders.write("home/helve.json", "{}");
  folders.write("home/other/x.txt", "");
  folders.around.cwd = folders.top() / "home" / "other";
  EXPECT_EQ(project_file({}, folders.around), "");
  folders.around.cwd = folders.top() / "home";
  EXPECT_EQ(project_file({}, folders.around), "");
}

TEST(Places, OptionsNameTheFile) {
  const Folders folders;
  folders.write("shop/helve.json", "{}");
  EXPECT_EQ(project_file({.root = "../../shop"}, folders.around),
            folders.top() / "shop/helve.json");
  EXPECT_EQ(project_file({.root = "."}, folders.around), "");
  EXPECT_EQ(project_file({.config = "x.json"}, folders.around), folders.project() / "x.json");
}

TEST(Places, TheRootIsNeverTheHomeFolderOrTheWholeDisk) {
  SCOPED_TRACE("WS-11 WS-12 workspace.absent");
  Folders folders;
  struct Case {
    const char *name, *root, *project, *want;
  };
  const std::string file = (folders.project() / "helve.json").string();
  const Case kCases[] = {
      {"the current folder", "", "", "/home/project"},
      {"the folder of the configuration", "", file.c_str(), "/home/project"},
      {"the option", "..", "", "refused workspace.absent"},
      {"the option wins", "/", file.c_str(), "refused workspace.absent"},
      {"no folder", "nope", "", "refused workspace.not_a_folder"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto root = find_root({.root = c.root}, c.project, folders.around);
    const std::string found = root ? root->string().substr(folders.top().string().size())
                                   : "refused " + render(root.error()).rule;
    EXPECT_EQ(found, c.want);
  }
  folders.around.cwd = folders.around.home;
  EXPECT_FALSE(find_root({}, "", folders.around));
}

TEST(Places, TheStateLiesOutsideOfTheWorkspace) {
  Folders folders;
  const auto state = state_folder(folders.project(), folders.around);
  EXPECT_EQ(state.parent_path(), folders.around.home / ".local/state/helve");
  EXPECT_EQ(state.filename().string().size(), 16U);
  EXPECT_EQ(state, state_folder(folders.project() / "." / "", folders.around));
  folders.around.variables["XDG_STATE_HOME"] = "/var/state";
  EXPECT_EQ(state_folder(folders.project(), folders.around).parent_path(), "/var/state/helve");
}

TEST(Places, PathsBelowTheCurrentFolderAreShownShort) {
  const Folders folders;
  EXPECT_EQ(shown_path(folders.project() / "a/b", folders.around), "a/b");
  EXPECT_EQ(shown_path("/etc/x", folders.around), "/etc/x");
  Surroundings root = folders.around;
  root.cwd = "/";
  EXPECT_EQ(shown_path("/etc/x", root), "/etc/x");
}

}  // namespace
}  // namespace helve::host
