// The same under faults: full and read-only disks, limits, kills, disks that fail to sync.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <random>

#include "os/testing/replacing.h"
#include "os/testing/scratch.h"

namespace helve::os {
namespace {

namespace fs = std::filesystem;
using testing::describe;
using testing::replace;
using testing::Scratch;

// A file alone, and one with another hard link, which is written in place.
void make_pair(const Scratch& folder, const fs::path& below) {
  folder.write(below / "alone", "old bytes");
  folder.write(below / "linked", "old bytes");
  fs::create_hard_link(folder / below / "linked", folder / below / "second");
}

std::string both(const Scratch& folder, const fs::path& below, std::string_view text) {
  std::string said;
  for (const char* name : {"alone", "linked"}) {
    said += describe(replace(folder / below, name, text)) + "=";
    said += folder.read(below / name) == "old bytes" ? "old " : "new ";
  }
  return said + std::to_string(folder.names(below).size());
}

TEST(ReplaceFileFaults, AFullDiskLeavesTheOldBytes) {
  SCOPED_TRACE("WS-78 ENOSPC before anything is touched; WS-79; WR-16; WF-33");
  if (!testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  Scratch folder;
  fs::create_directory(folder / "disk");
  const std::string said = testing::with_mounts([&]() -> std::string {
    if (::mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, "size=1m") != 0) return "no tmpfs";
    make_pair(folder, "disk");
    return both(folder, "disk", std::string(1'500'000, 'n')) + "; " +
           both(folder, "disk", std::string(10'000'000, 'n')) + "; " +
           both(folder, "disk", std::string(300'000, 'n'));
  });
  EXPECT_EQ(said,
            "disk.full=old disk.full=old 3; disk.full=old disk.full=old 3; "
            "replaced=new in place: hard_links=new 3");
}

TEST(ReplaceFileFaults, AReadOnlyDiskIsSaidToBeOne) {
  SCOPED_TRACE("WS-21 EROFS is file.read_only; WS-79 mount point as file: in place");
  if (!testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  Scratch folder;
  make_pair(folder, "disk");
  folder.write("other", "old bytes");
  const std::string said = testing::with_mounts([&]() -> std::string {
    const std::string disk = (folder / "disk").string();
    const std::string file = (folder / "disk/alone").string();
    if (::mount((folder / "other").c_str(), file.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      return "no bind mount";
    }
    const std::string bound = describe(replace(folder / "disk", "alone", "new bytes"));
    ::umount(file.c_str());
    ::mount(disk.c_str(), disk.c_str(), nullptr, MS_BIND, nullptr);
    ::mount("none", disk.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr);
    return bound + "; " + both(folder, "disk", "newer");
  });
  EXPECT_EQ(said, "in place: mount_point; file.read_only=old file.read_only=old 3");
  EXPECT_EQ(folder.read("other"), "new bytes");
}

TEST(ReplaceFileFaults, AFileSizeLimitLeavesTheOldBytes) {
  SCOPED_TRACE("WS-21 EFBIG is file.too_large; WR-16 file-size limit");
  Scratch folder;
  make_pair(folder, ".");
  const std::string said = testing::in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 50'000, .rlim_max = 50'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return both(folder, ".", std::string(50'001, 'n')) + "; " +
           both(folder, ".", std::string(200'000, 'n')) + "; " +
           both(folder, ".", std::string(50'000, 'n'));
  });
  EXPECT_EQ(said,
            "file.too_large=old file.too_large=old 3; file.too_large=old file.too_large=old 3; "
            "replaced=new in place: hard_links=new 3");
}

// From now on these system calls of this process fail with EIO.
bool fail_calls(int first, int second) {
  const auto number = [](int call) { return static_cast<unsigned>(call); };
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number(first), 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number(second), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ReplaceFileFaults, DurabilityIsAskedOfTheDiskOnlyIfWanted) {
  SCOPED_TRACE("WS-82 off: rename only; full: fdatasync of the file, fsync of the folder");
  Scratch folder;
  folder.write("a", "old bytes");
  const auto with = [&](int call, bool durable) {
    return testing::in_child([&]() -> std::string {
      if (!fail_calls(call, call)) return "no seccomp";
      return describe(replace(folder.path(), "a", "new", durable)) + " " + folder.read("a");
    });
  };
  EXPECT_EQ(with(SYS_fdatasync, true), "file.failed old bytes");
  EXPECT_EQ(with(SYS_fsync, true), "file.failed new");  // it is there, but may not last
  EXPECT_EQ(testing::in_child([&]() -> std::string {
              if (!fail_calls(SYS_fdatasync, SYS_fsync)) return "no seccomp";
              return describe(replace(folder.path(), "a", "newer")) + " " + folder.read("a");
            }),
            "replaced newer");
  EXPECT_EQ(describe(replace(folder.path(), "a", "lasting", true)), "replaced");
  EXPECT_EQ(folder.read("a"), "lasting");
}

TEST(ReplaceFileFaults, AKillAtAnyMomentLeavesAWholeFile) {
  SCOPED_TRACE("WS-78 after a kill at any point the path has the old bytes or the new ones; WR-16");
  constexpr int kRounds = 300;
  Scratch folder;
  folder.write("a", std::string(200'000, '0'));
  std::mt19937 random(7);
  for (int round = 0; round < kRounds; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (unsigned i = 0;; ++i) {
        const std::string text(100'000 + (i % 50) * 1'000, static_cast<char>('a' + i % 26));
        (void)replace(folder, "a", text);
      }
    }
    const timespec pause{.tv_nsec = static_cast<long>(random() % 3'000'000)};
    ::nanosleep(&pause, nullptr);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string text = folder.read("a");
    ASSERT_GE(text.size(), 100'000U) << "round " << round;
    ASSERT_EQ(text.find_first_not_of(text.front()), std::string::npos) << "round " << round;
  }
}

}  // namespace
}  // namespace helve::os
