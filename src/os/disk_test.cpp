// How much room there is, where something is and where nothing is yet (WS-34).
#include "os/disk.h"

#include <gtest/gtest.h>

#include "os/testing/scratch.h"

namespace helve::os {
namespace {

using testing::Scratch;

TEST(DiskSpace, IsThatOfTheNearestFolderThatIsThere) {
  SCOPED_TRACE("WS-34 the disk of a log that is not written yet");
  const Scratch folder;
  folder.write("file", "text");
  const auto here = disk_space(folder.path());
  ASSERT_TRUE(here);
  EXPECT_GT(here->all, 0U);
  EXPECT_LE(here->free, here->all);
  EXPECT_TRUE(here->can_be_filled());
  for (const char* name : {"none", "none/deeper/still", "file", "file/below", "none/"}) {
    const auto there = disk_space(folder / name);
    ASSERT_TRUE(there) << name;
    EXPECT_EQ(there->all, here->all) << name;
  }
  EXPECT_TRUE(disk_space("a name in the current folder"));
  EXPECT_FALSE(disk_space(""));
}

TEST(DiskSpace, WhatHoldsNoBytesCannotBeFilled) {
  const auto proc = disk_space("/proc/self");
  ASSERT_TRUE(proc);
  EXPECT_FALSE(proc->can_be_filled());
}

TEST(DiskSpace, WhatIsReadOnlyCannotBeFilled) {
  if (!testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  const Scratch folder;
  const std::string said = testing::with_mounts([&]() -> std::string {
    const char* const disk = folder.path().c_str();
    if (::mount("tmpfs", disk, "tmpfs", 0, "size=1m") != 0) return "no tmpfs";
    const auto before = disk_space(folder / "x");
    ::mount("none", disk, nullptr, MS_REMOUNT | MS_RDONLY, "size=1m");
    const auto after = disk_space(folder / "x");
    ::umount(disk);
    if (!before || !after) return "unknown";
    return std::to_string(before->all) + (before->can_be_filled() ? " yes" : " no") +
           (after->can_be_filled() ? " yes" : " no");
  });
  EXPECT_EQ(said, "1048576 yes no");
}

}  // namespace
}  // namespace helve::os
