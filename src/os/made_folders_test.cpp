// Folders that were made for nothing go again, and no others.
#include "os/made_folders.h"

#include <gtest/gtest.h>

#include "os/beneath.h"
#include "os/testing/replacing.h"
#include "os/testing/scratch.h"

namespace helve::os {
namespace {

namespace fs = std::filesystem;
using testing::Scratch;

class MadeFoldersTest : public ::testing::Test {
 protected:
  // A walk to a/b/c/file.
  Found walk_there() const {
    const UniqueFd top(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const Root roots[] = {{.path = folder.path().string(), .alias = "", .fd = top.get()}};
    auto found = walk({.roots = roots,
                       .from = roots,
                       .below = "a/b/c/file",
                       .create_folders = true,
                       .allowed = nullptr});
    EXPECT_TRUE(found.has_value());
    return found ? *std::move(found) : Found{};
  }

  Scratch folder;
};

TEST_F(MadeFoldersTest, AllGoIfNothingIsInThem) {
  Found found = walk_there();
  EXPECT_EQ(found.made.count(), 3U);
  found.made.remove(found.folder.get());
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ(found.made.count(), 0U);
}

TEST_F(MadeFoldersTest, WhatWasThereBeforeStays) {
  fs::create_directories(folder / "a");
  Found found = walk_there();
  EXPECT_EQ(found.made.count(), 2U);
  found.made.remove(found.folder.get());
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
  EXPECT_TRUE(folder.names("a").empty());
}

TEST_F(MadeFoldersTest, WhatIsInOneKeepsItAndThoseAbove) {
  Found found = walk_there();
  folder.write("a/b/other", "x");
  found.made.remove(found.folder.get());
  EXPECT_EQ(folder.names("a/b"), std::vector<std::string>{"other"});
}

TEST_F(MadeFoldersTest, WhatTookThePlaceOfOneStays) {
  Found found = walk_there();
  fs::rename(folder / "a/b/c", folder / "a/b/moved");
  fs::create_directories(folder / "a/b/c");
  found.made.remove(found.folder.get());
  EXPECT_EQ(folder.names("a/b"), (std::vector<std::string>{"c", "moved"}));
}

TEST_F(MadeFoldersTest, AWalkThatIsStoppedLeavesNone) {
  const UniqueFd top(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Root roots[] = {{.path = folder.path().string(), .alias = "", .fd = top.get()}};
  const auto found =
      walk({.roots = roots,
            .from = roots,
            .below = "a/b/forbidden/file",
            .create_folders = true,
            .allowed = [](const Walk::Step& step) { return step.name != "forbidden"; }});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().why, Stopped::Why::kForbidden);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace helve::os
