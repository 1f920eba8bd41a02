// The parts that are pure: the ring, what /proc says, where cgroups are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "process/detail/cgroup.h"
#include "process/detail/procfs.h"
#include "process/detail/tail.h"
#include "process/testing/run.h"

namespace helve::process {
namespace {

TEST(Tail, IsTheEndOfWhatCame) {
  for (const size_t limit : {size_t{0}, size_t{1}, size_t{5000}, size_t{300000}}) {
    for (const size_t total :
         {size_t{0}, size_t{1}, size_t{4999}, size_t{200000}, size_t{3000001}}) {
      SCOPED_TRACE(std::to_string(limit) + " of " + std::to_string(total));
      Tail tail(limit);
      std::string want;
      for (size_t step = 1; want.size() < total; step = step * 3 % 70001) {
        const std::span<char> room = tail.room();
        const size_t count = std::min({room.size(), step, total - want.size()});
        ASSERT_GT(room.size(), 0U);
        for (size_t i = 0; i < count; ++i)
          room[i] = static_cast<char>('a' + (want.size() + i) % 23);
        want += tail.advance(count);
      }
      EXPECT_EQ(tail.exceeded(), total > limit);
      EXPECT_TRUE(tail.take() == want.substr(total - std::min(total, limit)));
    }
  }
}

struct StatCase {
  const char *name, *line, *want;
};

constexpr StatCase kStats[] = {
    {"a usual line", "7 (sh) S 1 6 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2", "7 S 1 6 5 99"},
    {"a name with a parenthesis and a line end",
     "7 (a) R 9\n) Z 1 6 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1", "7 Z 1 6 5 99"},
    {"nothing", "", "none"},
    {"no name", "7 S 1 6", "none"},
    {"cut short", "7 (sh) S 1 6 5 0 -1", "none"},
    {"cut behind the name", "7 (sh)", "none"},
};

TEST(Procfs, ReadsALineOfStat) {
  for (const StatCase& c : kStats) {
    SCOPED_TRACE(c.name);
    const auto m = parse_stat(c.line);
    const auto text = [&] {
      return std::to_string(m->pid) + ' ' + m->state + ' ' + std::to_string(m->parent) + ' ' +
             std::to_string(m->group) + ' ' + std::to_string(m->session) + ' ' +
             std::to_string(m->started);
    };
    EXPECT_EQ(m ? text() : "none", c.want);
  }
}

TEST(Procfs, NeverSignalsANumberThatMeansAnother) {
  auto us = read_member(::getpid());
  ASSERT_TRUE(us);
  EXPECT_EQ(signal(*us, 0), 0);
  us->started -= 1;
  EXPECT_EQ(signal(*us, SIGKILL), ESRCH);
}

TEST(Procfs, FindsAWholeVariableOnly) {
  const char* home = ::getenv("PATH");
  ASSERT_TRUE(home);
  EXPECT_TRUE(has_variable(::getpid(), std::string("PATH=") + home));
  EXPECT_FALSE(has_variable(::getpid(), "PATH="));
  EXPECT_FALSE(has_variable(::getpid(), std::string("ATH=") + home));
}

TEST(Procfs, NamesAProcessInOneLine) {  // WS-52: any program may call itself anything
  std::string before(16, '\0');
  ::prctl(PR_GET_NAME, before.data());
  ::prctl(PR_SET_NAME, "a\nb\xff)");
  const std::string name = name_of(::getpid());
  ::prctl(PR_SET_NAME, before.c_str());
  EXPECT_TRUE(name.starts_with("a") && !name.contains('\n')) << name;
  EXPECT_TRUE(is_utf8(name));
  EXPECT_EQ(name_of(0), "");
}

struct CgroupCase {
  const char *name, *mounts, *own, *want;
};

constexpr char kUnified[] = "25 1 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
constexpr CgroupCase kCgroups[] = {
    {"unified", kUnified, "0::/user.slice/a.scope\n", "/sys/fs/cgroup/user.slice/a.scope"},
    {"in the root", kUnified, "0::/\n", "/sys/fs/cgroup"},
    {"hybrid",
     "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n41 31 0:38 / /sys/fs/cgroup/unified rw - "
     "cgroup2 c rw\n",
     "8:pids:/\n0::/x\n", "/sys/fs/cgroup/unified/x"},
    {"a mount of a part", "41 31 0:38 /pod /cg rw - cgroup2 c rw\n", "0::/pod/x\n", "/cg/x"},
    {"outside of what is mounted", "41 31 0:38 /pod /cg rw - cgroup2 c rw\n", "0::/other\n",
     "none"},
    {"version 1 only", "31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/\n",
     "none"},
};

TEST(Cgroup, IsLookedForBelowOurOwn) {
  for (const CgroupCase& c : kCgroups) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(own_cgroup_folder(c.mounts, c.own).value_or("none"), c.want);
  }
}

struct LimitCase {
  const char* name;
  CgroupLimits limits;
  const char *memory, *swap, *group, *pids, *weight;
};

constexpr LimitCase kLimits[] = {
    {"WS-64 memory and processes",
     {.memory_bytes = 4096, .processes = 512},
     "4096",
     "0",
     "1",
     "512",
     "50"},
    {"WS-64 processes alone", {.processes = 7}, "max", "max", "0", "7", "50"},
    {"one that is used again without limits", {}, "max", "max", "0", "max", "100"},
};

TEST(CgroupLimits, AreWrittenWhereThereIsAController) {
  const testing::Folder folder;
  const auto file = [&](const char* name) { return folder.path / name; };
  const os::UniqueFd fd(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY));
  write_limits(fd.get(), {.memory_bytes = 1});
  EXPECT_FALSE(std::filesystem::exists(file("memory.max")));  // no controller: nothing is made
  for (const LimitCase& c : kLimits) {
    SCOPED_TRACE(c.name);
    for (const char* name :
         {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.weight"}) {
      std::ofstream(file(name)) << "";
    }
    write_limits(fd.get(), c.limits);
    const auto text = [&](const char* name) { return read_small(file(name).c_str()); };
    EXPECT_EQ(text("memory.max"), c.memory);
    EXPECT_EQ(text("memory.swap.max"), c.swap);
    EXPECT_EQ(text("memory.oom.group"), c.group);
    EXPECT_EQ(text("pids.max"), c.pids);
    EXPECT_EQ(text("cpu.weight"), c.weight);
  }
}

TEST(CgroupLimits, CountWhatTheKernelHasEnded) {  // WS-64: reason `memory`
  const testing::Folder folder;
  const os::UniqueFd fd(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(oom_kills(fd.get()), 0U);
  std::ofstream(folder.path / "memory.events")
      << "low 0\nmax 9\noom 4\noom_kill 3\noom_group_kill 1\n";
  EXPECT_EQ(oom_kills(fd.get()), 3U);
}

}  // namespace
}  // namespace helve::process
