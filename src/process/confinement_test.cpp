// What the kernel's fence holds back, with real commands: WS-65, WS-66, WR-19.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/texts.h"
#include "process/detail/bubblewrap.h"
#include "process/means.h"
#include "process/testing/run.h"

namespace helve::process {
namespace {

using policy::Confine;
using policy::Confinement;
using std::chrono::milliseconds;
using testing::Folder;
using testing::on_loop;
using testing::run;
using testing::run_ok;

Spawn fenced(std::string script, Confinement confinement, std::filesystem::path folder = "/") {
  policy::Command command{.argv = {"sh", "-c", std::move(script)},
                          .program = "/bin/sh",
                          .folder = std::move(folder),
                          .confinement = std::move(confinement)};
  Spawn spawn{.allowed = *policy::allow(policy::Permit::owner(), std::move(command))};
  spawn.joined = true;
  return spawn;
}

bool works(Confine level) { return resolve({.level = level}).has_value(); }

// Outside of /tmp, since kFull has one of its own.
class Outside {
 public:
  Outside() : path("/var/tmp/helve-outside-" + std::to_string(::getpid())) {
    std::filesystem::create_directory(path);
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

class Fences : public ::testing::TestWithParam<Confine> {
 protected:
  void SetUp() override {
    if (!works(GetParam())) GTEST_SKIP() << "not possible on this machine";
  }
  Confinement with(std::vector<std::filesystem::path> writable, bool network = true) const {
    return {.level = GetParam(), .writable = std::move(writable), .network = network};
  }
};

INSTANTIATE_TEST_SUITE_P(Both, Fences, ::testing::Values(Confine::kPaths, Confine::kFull),
                         [](const auto& info) {
                           return info.param == Confine::kPaths ? "Paths" : "Full";
                         });

struct PathCase {
  const char *name, *script;
  bool refused;
};

// $IN may be written, $OUT not.
constexpr PathCase kPathCases[] = {
    {"WS-65 writing inside works", "echo a > $IN/new && cat $IN/new", false},
    {"WS-65 a folder tree inside works", "mkdir -p $IN/a/b && mv $IN/a $IN/c && rm -r $IN/c",
     false},
    {"WS-65 reading outside works", "cat $OUT/kept > /dev/null && ls / > /dev/null", false},
    {"WS-65 /dev/null works", "echo a > /dev/null", false},
    {"WS-65 standard streams can be opened by name", "echo a | tee /dev/stderr > /dev/null", false},
    {"WS-65 a here-document works", "cat <<X > $IN/h\nhello\nX\ngrep -q hello $IN/h", false},
    {"WS-65 writing outside is refused", "echo a > $OUT/new", true},
    {"WS-65 changing a file outside is refused", "echo a >> $OUT/kept", true},
    {"WS-65 truncating outside is refused", "truncate -s 0 $OUT/kept", true},
    {"WS-65 removing outside is refused", "rm -f $OUT/kept", true},
    {"WS-65 a folder outside is refused", "mkdir $OUT/d", true},
    {"WS-65 a link outside is refused", "ln -s a $OUT/l", true},
    {"WS-65 moving out is refused", "echo a > $IN/m; mv $IN/m $OUT/m", true},
    {"WS-65 moving in what lies outside is refused", "mv $OUT/kept $IN/k && test ! -e $OUT/kept",
     true},
    {"WS-65 a link that leads out is refused", "ln -sfn $OUT $IN/link; echo a > $IN/link/new",
     true},
    {"WS-65 mounting is refused", "mount -t tmpfs none $IN", true},
    {"WS-65 namespaces of its own are refused", "unshare -U true", true},
    {"WS-65 a device, by which every disk could be written to", "mknod $IN/disk b 7 0", true},
    {"WS-65 a device of characters", "mknod $IN/device c 1 3", true},
    {"WS-65 the host name stays", "hostname fenced", true},
};

TEST_P(Fences, HoldPaths) {
  for (const PathCase& c : kPathCases) {
    SCOPED_TRACE(c.name);
    const Folder in;
    const Outside out;
    std::ofstream(out.path / "kept") << "kept\n";
    const std::string names =
        "IN=" + in.path.string() + "; OUT=" + out.path.string() + "; " + c.script;
    const Ended ended = run_ok(fenced(names, with({in.path}), in.path));
    EXPECT_EQ(ended.code != 0, c.refused) << ended.out.tail;
    EXPECT_FALSE(std::filesystem::exists(out.path / "new"));
    EXPECT_TRUE(std::filesystem::exists(out.path / "kept"));
    EXPECT_EQ(std::filesystem::file_size(out.path / "kept"), 5U);
  }
}

TEST(PathFence, GoesWithTheFolderThatIsHeld) {  // WS-28, WS-65
  if (!works(Confine::kPaths)) GTEST_SKIP() << "not possible on this machine";
  const Outside outside;
  const std::filesystem::path folder = outside.path / "work", moved = outside.path / "moved";
  std::filesystem::create_directory(folder);
  const File held = std::make_shared<const os::UniqueFd>(
      ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::filesystem::rename(folder, moved);
  for (const bool writable : {true, false}) {
    Confinement confinement{.level = Confine::kPaths};
    if (writable) confinement.writable = {folder};
    Spawn spawn = fenced("echo a > new", confinement, folder);
    spawn.folder = held;
    EXPECT_EQ(run_ok(std::move(spawn)).code == 0, writable);
    EXPECT_EQ(std::filesystem::remove(moved / "new"), writable);
  }
}

// Bubblewrap's own process, which leaves a moment later, is none that the command has left behind.
TEST_P(Fences, LeaveNothingBehind) {  // WS-41
  for (int i = 0; i < 20; ++i) {
    on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
      Spawn spawn = fenced("echo a", with({}));
      spawn.quiet = milliseconds(100);
      spawn.drain = std::chrono::seconds(1);
      auto process = co_await Process::start(loop, std::move(spawn));
      EXPECT_TRUE(process);
      if (!process) co_return;
      bool ended = false;
      loop.spawn([&]() -> boost::asio::awaitable<void> {
        co_await (*process)->wait();
        ended = true;
      });
      co_await (*process)->left();
      co_await os::Loop::sleep(milliseconds(0));
      EXPECT_TRUE(ended) << "where it has left and not ended, it is said to go on";
      while (!ended) co_await os::Loop::sleep(milliseconds(1));
    });
  }
}

TEST_P(Fences, AreSaidByTheProcess) {  // WS-65, WS-51
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, fenced("true", with({})));
    EXPECT_TRUE(process);
    if (!process) co_return;
    EXPECT_EQ((*process)->confined(), GetParam());
    EXPECT_EQ((*process)->containment() == "namespace", GetParam() == Confine::kFull);
    co_await (*process)->wait();
  });
}

// Each prints what the call gave, by perl: it is on every Debian.
struct CallCase {
  const char *name, *call;
  int error;
};

constexpr CallCase kCalls[] = {
    {"WS-65 io_uring_setup", "425, 1, 0", EPERM},
    {"WS-65 bpf", "321, 0, 0, 0", EPERM},
    {"WS-65 keyctl", "250, 0, 0, 0", EPERM},
    {"WS-65 userfaultfd", "323, 0", EPERM},
    {"WS-65 clone3, which falls back to clone", "435, 0, 0", ENOSYS},
    {"WS-65 the x32 world", "0x40000027", ENOSYS},
    {"WS-65 setns", "308, 0, 0", EPERM},
    {"getppid stays", "110", 0},
};

#if defined(__x86_64__)
TEST_P(Fences, RefuseDangerousSystemCalls) {
  for (const CallCase& c : kCalls) {
    SCOPED_TRACE(c.name);
    const std::string script =
        "exec perl -e 'my $r = syscall(" + std::string(c.call) + "); print $r < 0 ? $!+0 : 0'";
    EXPECT_EQ(run_ok(fenced(script, with({}))).out.tail, std::to_string(c.error));
  }
}
#endif

constexpr const char* kSockets =
    "exec perl -MSocket -e 'for my $f (AF_INET, AF_INET6, 16, 17) {"
    "print socket(my $s, $f, SOCK_DGRAM, 0) ? \"yes \" : $!{EACCES} ? \"no \" : \"? \" }"
    "print socket(my $s, AF_UNIX, SOCK_STREAM, 0) ? \"local\" : \"none\"'";

TEST_P(Fences, KeepFromTheNetworkIfAsked) {  // WS-65
  EXPECT_EQ(run_ok(fenced(kSockets, with({}, false))).out.tail, "no no no no local");
  EXPECT_TRUE(run_ok(fenced(kSockets, with({}))).out.tail.starts_with("yes "));
}

TEST_P(Fences, LetUsualWorkBeDone) {  // WS-65
  const Folder in;
  const Ended ended = run_ok(fenced(
      "set -e; printf 'all: out\\nout: in\\n\\tcp in out\\n' > Makefile; echo a > in; "
      "if command -v make; then make; else cp in out; fi; cat out; "
      "if command -v git; then git init -q . && git add in && "
      "git -c user.name=a -c user.email=a@b commit -qm a && git log --oneline | wc -l; fi; "
      "if command -v python3; then python3 -c 'import subprocess, tempfile, multiprocessing; "
      "multiprocessing.Lock(); print(subprocess.run([\"true\"]).returncode)'; fi; "
      "sleep 5 & kill $!; wait; echo done",
      with({in.path}), in.path));
  EXPECT_EQ(ended.code, 0) << ended.out.tail;
  EXPECT_TRUE(ended.out.tail.ends_with("done\n")) << ended.out.tail;
}

TEST_P(Fences, KeepSignalsInside) {  // WS-65
  if (GetParam() == Confine::kPaths && kernel_means().landlock < 6) {
    GTEST_SKIP() << "Landlock before ABI 6 does not scope signals";
  }
  const Ended ended = run_ok(fenced("kill -0 " + std::to_string(::getpid()) +
                                        " 2>/dev/null || "
                                        "echo held; sleep 5 & kill $! && echo inside",
                                    with({})));
  EXPECT_EQ(ended.out.tail, "held\ninside\n");
}

TEST_P(Fences, AreLeftByNobodyWhoGainsPrivileges) {
  EXPECT_EQ(run_ok(fenced("grep NoNewPrivs /proc/self/status", with({}))).out.tail,
            "NoNewPrivs:\t1\n");
}

TEST_P(Fences, AreStoppedWhole) {  // WS-51, WS-52
  std::string pids;
  const std::string name = "helve-fenced-" + std::to_string(::getpid());
  Spawn spawn = fenced("(setsid sh -c 'trap \"\" TERM; while :; do sleep 0.02; done; : " + name +
                           "' & ); sleep 0.1; echo up; exec sleep 1000",
                       with({}));
  const Ended ended = testing::run_and_stop(std::move(spawn), milliseconds(200));
  EXPECT_EQ(ended.how, Ended::How::kStopped);
  EXPECT_FALSE(ended.lingered);
  EXPECT_EQ(run_ok(testing::shell("pgrep -f 'while.*" + name.substr(0, 8) + "[-]fenced-" +
                                  std::to_string(::getpid()) + "' | wc -l"))
                .out.tail,
            "0\n");
}

TEST_P(Fences, LetWhatTheShellLeavesBehindLinger) {  // WS-41
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    Spawn spawn = fenced("sleep 1000 & echo up", with({}));
    spawn.quiet = milliseconds(100);
    auto process = co_await Process::start(loop, std::move(spawn));
    EXPECT_TRUE(process);
    if (!process) co_return;
    const Left left = co_await (*process)->left();
    EXPECT_EQ(left.code, 0);
    EXPECT_EQ(left.processes, 1U);
    (*process)->stop(milliseconds(500));
    EXPECT_EQ((co_await (*process)->wait()).how, Ended::How::kStopped);
  });
}

TEST_P(Fences, ReadAScriptFromDescriptorThree) {  // WS-28
  const Folder in;
  std::ofstream(in.path / "script") << "echo from the script\n";
  policy::Command command{.argv = {"sh", "/dev/fd/3"},
                          .program = "/bin/sh",
                          .folder = in.path,
                          .confinement = with({})};
  Spawn spawn{.allowed = *policy::allow(policy::Permit::owner(), command)};
  spawn.script = std::make_shared<const os::UniqueFd>(
      ::open((in.path / "script").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(run_ok(std::move(spawn)).out.tail, "from the script\n");
}

TEST(FullFence, ShowsOnlyItsOwnProcesses) {  // WS-65
  if (!works(Confine::kFull)) GTEST_SKIP() << "not possible on this machine";
  const Ended ended = run_ok(fenced("ls -d /proc/[0-9]* | wc -l", {.level = Confine::kFull}));
  EXPECT_LE(std::atoi(ended.out.tail.c_str()), 4) << ended.out.tail;
}

TEST(FullFence, ShowsAFolderAtItsPlaceToReadOnly) {  // WS-65
  if (!works(Confine::kFull)) GTEST_SKIP() << "not possible on this machine";
  const Folder shown;
  std::ofstream(shown.path / "fact") << "a fact\n";
  for (const std::string at : {"/env", "/mnt", "/tmp/env"}) {
    SCOPED_TRACE(at);
    const Confinement confinement{.level = Confine::kFull,
                                  .bind = Confinement::Bind{shown.path, at}};
    const Ended ended = run_ok(
        fenced("cat " + at + "/fact; echo a > " + at + "/new || echo held; mkdir /x || echo held",
               confinement));
    EXPECT_TRUE(ended.out.tail.starts_with("a fact\n")) << ended.out.tail;
    EXPECT_FALSE(std::filesystem::exists(shown.path / "new"));
    EXPECT_TRUE(ended.out.tail.ends_with("held\n")) << ended.out.tail;
  }
}

TEST(FullFence, RefusesAPlaceThatCannotBeMade) {  // WS-66
  if (!works(Confine::kFull)) GTEST_SKIP() << "not possible on this machine";
  const auto ended = run(fenced(
      "true", {.level = Confine::kFull, .bind = Confinement::Bind{"/usr", "/usr/not/there"}}));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().rule, "confine.unavailable");
}

// --- WR-19, WS-66: what a machine lacks, simulated.

struct LackCase {
  const char* name;
  Confinement asked;
  void (*take)(Means&);
  const char* want;  // the level, or what is missing
};

const LackCase kLacks[] = {
    {"WS-66 no Landlock for paths",
     {.level = Confine::kPaths},
     [](Means& m) { m.kernel.landlock = 0; },
     "landlock"},
    {"WS-66 no seccomp for paths",
     {.level = Confine::kPaths},
     [](Means& m) { m.kernel.seccomp = false; },
     "seccomp"},
    {"WS-66 no bubblewrap for full",
     {.level = Confine::kFull},
     [](Means& m) { m.bubblewrap.clear(); },
     "bubblewrap"},
    {"WS-66 no user namespaces for full",
     {.level = Confine::kFull},
     [](Means& m) { m.user_namespaces = EPERM; },
     "userns"},
    {"WS-66 bubblewrap that does not work",
     {.level = Confine::kFull},
     [](Means& m) { m.bubblewrap_trouble = "bwrap: no"; },
     "bubblewrap_fails"},
    {"WR-19 best falls to paths and says so",
     {.level = Confine::kBest},
     [](Means& m) { m.user_namespaces = EPERM; },
     "paths"},
    {"WR-19 best without anything is none",
     {.level = Confine::kBest},
     [](Means& m) {
       m.bubblewrap.clear();
       m.kernel.landlock = 0;
     },
     "none"},
    {"WS-66 no network, but nothing to hold it",
     {.level = Confine::kBest, .network = false},
     [](Means& m) {
       m.bubblewrap.clear();
       m.kernel.landlock = 0;
     },
     "landlock"},
    {"WS-66 no network at none",
     {.level = Confine::kNone, .network = false},
     [](Means&) {},
     "confine.network_needs_level"},
    {"full needs no Landlock",
     {.level = Confine::kFull},
     [](Means& m) { m.kernel.landlock = 0; },
     "full"},
    {"none needs nothing", {}, [](Means& m) { m = Means{}; }, "none"},
    {"WR-19 no cgroups are no hindrance",
     {.level = Confine::kBest},
     [](Means& m) { m.cgroup.clear(); },
     "full"},
};

Means everything() {
  return {.kernel = {.landlock = 6, .seccomp = true},
          .shell = "/bin/bash",
          .clone3 = true,
          .pidfd = true,
          .subreaper = true,
          .children = true,
          .openat2 = true,
          .cgroup = "/sys/fs/cgroup/helve",
          .controllers = {"memory", "pids"},
          .bubblewrap = "/usr/bin/bwrap",
          .bubblewrap_version = "0.8.0"};
}

TEST(Confinement, IsNeverLessThanWasAskedFor) {
  for (const LackCase& c : kLacks) {
    SCOPED_TRACE(c.name);
    Means means = everything();
    c.take(means);
    const testing::PretendedMeans pretended(means);
    const Result<Confine> level = resolve(c.asked);
    if (level) {
      EXPECT_EQ(std::string(name_of(*level)), c.want);
      continue;
    }
    const Json* missing = level.error().details.is_object()
                              ? level.error().details.get_object().if_contains("missing")
                              : nullptr;
    EXPECT_EQ(missing ? std::string(missing->get_string()) : level.error().rule, c.want);
    const Rendered said = render(level.error());
    EXPECT_NE(said.next, "");
    EXPECT_EQ((said.message + said.next).find('{'), std::string::npos) << said.next;
  }
}

TEST(Confinement, IsRefusedBeforeAnythingStarts) {  // WS-66
  Means means = everything();
  means.kernel.landlock = 0;
  const testing::PretendedMeans pretended(means);
  const Folder in;
  const auto ended = run(fenced("echo a > " + (in.path / "new").string(),
                                {.level = Confine::kPaths, .writable = {in.path}}));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().rule, "confine.unavailable");
  EXPECT_FALSE(std::filesystem::exists(in.path / "new"));
}

TEST(Confinement, SaysWhichLevelTheBestIs) {  // WS-66, WR-19
  if (!works(Confine::kPaths)) GTEST_SKIP() << "not possible on this machine";
  Means means = everything();
  means.bubblewrap.clear();
  const testing::PretendedMeans pretended(means);
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process =
        co_await Process::start(loop, fenced("echo a > /new", {.level = Confine::kBest}));
    EXPECT_TRUE(process);
    if (!process) co_return;
    EXPECT_EQ((*process)->confined(), Confine::kPaths);
    EXPECT_NE((co_await (*process)->wait()).code, 0);
  });
  EXPECT_FALSE(std::filesystem::exists("/new"));
}

TEST(Confinement, GuardsTruncationWhereLandlockIsTooOldFor) {  // WS-65
  if (!works(Confine::kPaths)) GTEST_SKIP() << "not possible on this machine";
  Means means = everything();
  means.kernel.landlock = 2;
  const testing::PretendedMeans pretended(means);
  const Outside out;
  std::ofstream(out.path / "kept") << "kept\n";
  const std::string script =
      "perl -MFcntl -e 'truncate($ARGV[0], 0); sysopen(F, $ARGV[0], O_RDONLY | O_TRUNC)' " +
      (out.path / "kept").string();
  run_ok(fenced(script, {.level = Confine::kPaths}));
  EXPECT_EQ(std::filesystem::file_size(out.path / "kept"), 5U);
}

TEST(Means, AreFoundByTrying) {
  const Means& found = means();
  EXPECT_TRUE(found.pidfd);
  EXPECT_FALSE(found.shell.empty());
  EXPECT_EQ(found.kernel.landlock > 0, works(Confine::kPaths));
}

TEST(Means, SayWhatToDoAboutEachThatIsMissing) {  // WR-19
  for (const MeansRow& row : rows_of(everything())) {
    SCOPED_TRACE(row.key);
    EXPECT_TRUE(row.works);
    EXPECT_EQ(row.fix, "");
    EXPECT_NE(row.value, "");
  }
  for (const MeansRow& row : rows_of(Means{.user_namespaces = EPERM})) {
    SCOPED_TRACE(row.key);
    EXPECT_FALSE(row.works);
    EXPECT_GT(row.fix.size(), 10U);
  }
}

}  // namespace
}  // namespace helve::process
