// `bash` with real shells (WS-28 to WS-44, WS-56 to WS-60).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <csignal>

#include "base/text.h"
#include "base/texts.h"
#include "os/testing/scratch.h"
#include "tool/job_store.h"
#include "tool/job_tools.h"
#include "workspace/testing/desk.h"
#include "workspace/variables.h"

namespace helve::workspace {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Settings settings_of(Settings settings = {}) {
  settings.bash.shell = "/bin/bash";
  settings.bash.variables = command_variables(
      {{"PATH", "/usr/bin:/bin"}, {"SECRET_KEY", "k"}, {"HOME", "/"}}, {}, "false");
  return settings;
}

class BashTest : public ::testing::Test {
 protected:
  BashTest() : BashTest(settings_of()) {}
  explicit BashTest(Settings settings) : desk(std::move(settings)) {
    HELVE_CHECK(desk.registry.add(bash_tool(desk.workspace)));
    HELVE_CHECK(tool::add_bash_job_tools(desk.registry));
    desk.session->jobs().keep_in(store, "s", "p");
  }
  ~BashTest() override {  // nothing of a test outlives it
    desk.session->end(0s, true);
    for (int i = 0; i < 200 && desk.session->open_calls() > 0; ++i)
      desk.call("bash_output", JsonObject{{"job", "job_0"}, {"wait", 1}});
  }

  tool::Answer bash(const std::string& command, JsonObject more = {}) {
    more["command"] = command;
    return desk.call("bash", std::move(more));
  }
  static const Json& data(const tool::Answer& answer) { return answer.meta.at("io.helve/data"); }
  static std::string job_of(const tool::Answer& answer) {
    return std::string(as_text(data(answer).at("job")));
  }
  // Without its first line, which has the facts.
  static std::string output(const tool::Answer& answer) {
    return answer.text.substr(answer.text.find('\n') + 1);
  }
  tool::Answer follow(const std::string& job, JsonObject more = {}) {
    more["job"] = job;
    return desk.call("bash_output", std::move(more));
  }
  tool::Answer stop(const std::string& job) {
    return desk.call("bash_stop", JsonObject{{"job", job}});
  }

  testing::Desk desk;
  std::shared_ptr<tool::JobStore> store =
      std::make_shared<tool::JobStore>(desk.loop, desk.workspace->settings.state / "jobs");
};

struct Case {
  const char *name, *command, *first_line, *output;
};

const Case kCases[] = {
    {"WS-42 the code is a fact", "exit 3", "exit code 3 \\(.*\\)", "(no output)"},
    {"WS-43 nothing was printed", "true", "exit code 0 \\(.*\\)", "(no output)"},
    {"WR-5 a pipe hides what failed, and nothing is claimed", "false | tail -1",
     "exit code 0 \\(.*\\)", "(no output)"},
    {"WR-4 a signal is no success", "echo kept; kill -9 $$",
     "killed by SIGKILL, exit code 137 \\(.*\\)", "kept\n"},
    {"WR-4 TERM", "kill -TERM $$", "killed by SIGTERM, exit code 143 \\(.*\\)", "(no output)"},
    {"WF-17 it is bash", "a=(x y); [[ ${a[1]} == y ]] && set -o pipefail && echo ok",
     "exit code 0 .*", "ok\n"},
    {"WS-29 both streams in their real order", "echo a; echo b >&2; echo c", "exit code 0 .*",
     "a\nb\nc\n"},
    {"WF-16 WR-10 input is empty", "cat; read x; echo \"<$x>\"", "exit code 0 .*", "<>\n"},
    {"WR-10 there is no terminal", "read x < /dev/tty || echo none", "exit code 0 .*", nullptr},
    {"WF-18 WR-12 no secret of the host",
     "(env; tr '\\0' '\\n' < /proc/self/environ; set) | grep -c ^SECRET; true", "exit code 0 .*",
     "0\n"},
    {"WS-28 the mask", "umask", "exit code 0 .*", "0022\n"},
    {"WS-28 no other descriptors", "echo /proc/self/fd/*", "exit code 0 .*", nullptr},
    {"WS-64 limits", "ulimit -c; ulimit -n; ulimit -f", "exit code 0 .*", "0\n4096\n8388608\n"},
    {"WS-64 out of the way", "nice; cat /proc/self/oom_score_adj", "exit code 0 .*", nullptr},
    {"WS-35 a progress bar is its last state", "printf 'a\\rb\\n\\033[31mred\\033[0m\\n'",
     "exit code 0 .*", "b\nred\n"},
    {"WF-8 WR-6 characters stay whole",
     "printf '\\xe2'; sleep 0.02; printf '\\x89'; sleep 0.02; printf '\\xa4\\n'", "exit code 0 .*",
     "≤\n"},
    {"WS-30 nothing waits for an editor", "$EDITOR x; echo $?", "exit code 0 .*", "1\n"},
};

TEST_F(BashTest, AnswersWhenTheCommandHasEnded) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const tool::Answer answer = bash(c.command);
    EXPECT_FALSE(answer.is_error) << answer.text;
    EXPECT_THAT(answer.text.substr(0, answer.text.find('\n')), ContainsRegex(c.first_line));
    EXPECT_THAT(answer.text, Not(HasSubstr("job_")));  // WF-3
    if (c.output != nullptr) EXPECT_EQ(output(answer), c.output);
  }
}

TEST_F(BashTest, ReturnsAsSoonAsTheCommandHasEnded) {
  SCOPED_TRACE("WF-1 WS-40: far below the window of 20 s");
  const auto began = Clock::now();
  bash("true");
  EXPECT_LT(Clock::now() - began, 5s);
}

TEST_F(BashTest, RefusesWhatCannotRun) {
  SCOPED_TRACE("WF-42 WS-38");
  EXPECT_EQ(testing::rule_of(bash("  \n\t")), "args.invalid");
  SCOPED_TRACE("WF-20 WS-39");
  EXPECT_EQ(testing::rule_of(bash("true", {{"timeout", -1}})), "args.invalid");
  EXPECT_EQ(testing::rule_of(bash("true", {{"timeout", 600'001}})), "args.invalid");
  EXPECT_EQ(testing::rule_of(bash("true", {{"timeout", 1e99}})), "args.invalid");
  EXPECT_EQ(testing::rule_of(bash("true", {{"kill_after", 999}})), "args.invalid");
  SCOPED_TRACE("WS-3: a shell would run what is in front of a NUL");
  const tool::Answer nul = bash(std::string("touch a\0b", 9));
  EXPECT_EQ(testing::rule_of(nul), "args.invalid");
  EXPECT_FALSE(testing::fs::exists(desk.path("a")));
  SCOPED_TRACE("WS-3 unknown names");
  EXPECT_EQ(testing::rule_of(bash("true", {{"cwd", "/"}})), "args.invalid");
  SCOPED_TRACE("WS-28");
  const tool::Answer large = bash("#" + std::string(1024 * 1024, 'x'));
  EXPECT_EQ(testing::rule_of(large), "bash.command_too_large") << large.text.substr(0, 300);
}

TEST_F(BashTest, RunsALongScriptFromMemory) {
  SCOPED_TRACE("WS-28: one argument may have 128 KiB at most");
  std::string script = "n=0\n";
  while (script.size() < 200 * 1024) script += "n=$((n+1)) # " + std::string(80, 'x') + '\n';
  script += "echo $n; ls /proc/self/fd | wc -l";
  const tool::Answer answer = bash(script);
  EXPECT_THAT(output(answer), StartsWith("21"));
  EXPECT_THAT(output(answer), ::testing::EndsWith("\n4\n"));  // 0, 1, 2 and the one that ls reads
}

TEST_F(BashTest, FeedsStandardInput) {
  SCOPED_TRACE("WS-29");
  const std::string input(300'000, 'x');
  EXPECT_EQ(output(bash("wc -c", {{"stdin", input}})), "300000\n");
}

TEST_F(BashTest, ARunningCommandIsAJobAndShowsWhatItPrinted) {
  SCOPED_TRACE("WF-2 WR-8 WS-33 WS-42 WS-46");
  const tool::Answer answer = bash("echo first; sleep 30", {{"timeout", 500}});
  EXPECT_THAT(answer.text, StartsWith("still running"));
  EXPECT_THAT(answer.text, HasSubstr("\nfirst\n"));
  EXPECT_EQ(as_text(data(answer).at("state")), "running");
  SCOPED_TRACE("WF-10: what was told is not told again");
  EXPECT_THAT(follow(job_of(answer)).text, Not(HasSubstr("first")));
  const tool::Answer stopped = stop(job_of(answer));
  SCOPED_TRACE("WF-6 WS-53");
  EXPECT_THAT(stopped.text, HasSubstr("stopped by SIGTERM after"));
}

TEST_F(BashTest, APromptIsShownThoughItsLineHasNoEnd) {
  SCOPED_TRACE("WS-36");
  const tool::Answer answer = bash("printf 'Password: '; sleep 30", {{"timeout", 100}});
  EXPECT_THAT(answer.text, HasSubstr("Password: "));
  stop(job_of(answer));
}

TEST_F(BashTest, ABackgroundChildDoesNotHoldTheCall) {
  SCOPED_TRACE("WF-7 WR-2 WS-41");
  for (const char* command : {"sleep 300 & echo up", "setsid sleep 300 & echo up",
                              "sleep 300 >/dev/null 2>&1 & echo up"}) {
    SCOPED_TRACE(command);
    const auto began = Clock::now();
    const tool::Answer answer = bash(command);
    EXPECT_LT(Clock::now() - began, 6s);
    EXPECT_THAT(answer.text, AllOf(StartsWith("exit code 0"), HasSubstr("1 of its processes"),
                                   HasSubstr("\nup\n")));
    EXPECT_EQ(as_text(data(answer).at("state")), "lingering");
    EXPECT_THAT(stop(job_of(answer)).text, HasSubstr("stopped"));
  }
}

TEST_F(BashTest, KillAfterIsALimitOfItsOwn) {
  SCOPED_TRACE("WS-39 WS-42");
  const tool::Answer answer = bash("echo x; sleep 30", {{"kill_after", 1000}});
  EXPECT_THAT(answer.text, StartsWith("ended by its limit kill_after of 1.0 s"));
  EXPECT_EQ(as_text(data(answer).at("state")), "limit");
  EXPECT_EQ(output(answer), "x\n");
}

TEST_F(BashTest, AStopEndsTheWholeTree) {
  SCOPED_TRACE("WF-12 WF-13 WS-51 WS-52");
  const tool::Answer answer =
      bash("trap '' TERM; (setsid sleep 301 &) ; sleep 302 & echo up; wait", {{"timeout", 700}});
  const std::string job = job_of(answer);
  EXPECT_THAT(stop(job).text, HasSubstr("stopped by SIGKILL"));
  EXPECT_EQ(output(bash("pgrep -fc 'sleep 30[12]$' || true")), "0\n");
  SCOPED_TRACE("WS-53: it had ended already");
  EXPECT_FALSE(stop(job).is_error);
}

TEST_F(BashTest, AJobOfAnotherSessionIsUnknown) {
  SCOPED_TRACE("WF-14 WS-57");
  const tool::Answer answer = bash("sleep 30", {{"timeout", 0}});
  const auto other = std::make_shared<tool::Session>();
  const auto ask = [&](const std::string& id) {
    return desk.call(other, "bash_output", JsonObject{{"job", id}});
  };
  const tool::Answer foreign = ask(job_of(answer));
  EXPECT_EQ(testing::rule_of(foreign), "job.unknown");
  EXPECT_EQ(testing::rule_of(ask("job_0123456789abcdef")), "job.unknown");
  stop(job_of(answer));
}

TEST_F(BashTest, CommandsThatCallsWaitForCountAsWork) {
  SCOPED_TRACE("WS-58");
  desk.session->jobs().most = 2;
  const auto start = [&](const char* command) {
    return desk.start(desk.session, "bash", JsonObject{{"command", command}});
  };
  const auto first = start("sleep 0.5"), second = start("sleep 0.5"), third = start("true");
  desk.finish({first, second, third});
  EXPECT_EQ(testing::rule_of(**third), "job.too_many");
  EXPECT_FALSE((*first)->is_error || (*second)->is_error);
  EXPECT_FALSE(bash("true").is_error);
}

TEST_F(BashTest, TheEndOfTheSessionEndsItsJobs) {
  SCOPED_TRACE("WS-60 WR-1");
  const auto other = std::make_shared<tool::Session>();
  desk.call(other, "bash", JsonObject{{"command", "sleep 303 & wait"}, {"timeout", 0}});
  EXPECT_EQ(output(bash("pgrep -xfc 'sleep 303'")), "1\n");
  other->end(500ms);
  for (int i = 0; i < 50 && other->open_calls() > 0; ++i) bash("sleep 0.1");
  EXPECT_EQ(output(bash("pgrep -xfc 'sleep 303'")), "0\n");
}

TEST_F(BashTest, RunsInTheFolderThatItWasHoweverItIsCalledByNow) {
  SCOPED_TRACE("WS-28");
  const testing::fs::path root = desk.workspace->settings.root;
  desk.put("which", "the one that was meant\n");
  testing::fs::rename(root, root.string() + "-moved");
  desk.put("which", "another\n");
  EXPECT_EQ(output(bash("cat which; pwd")),
            "the one that was meant\n" + root.string() + "-moved\n");
  SCOPED_TRACE("WS-28: once it was deleted, what has its path takes its place");
  testing::fs::remove_all(root.string() + "-moved");
  EXPECT_EQ(output(bash("cat which")), "another\n");
}

TEST_F(BashTest, AStopHasTheGraceThatIsSet) {
  SCOPED_TRACE("WS-52");
  desk.session->jobs().stop_grace = 0s;
  const tool::Answer answer =
      bash("trap 'echo never' TERM; echo up; while :; do :; done", {{"timeout", 300}});
  const tool::Answer stopped = stop(job_of(answer));
  EXPECT_THAT(stopped.text, AllOf(StartsWith("stopped by SIG"), Not(HasSubstr("never"))));
}

TEST_F(BashTest, AJobIsWrittenDownBeforeItsNameIsTold) {
  SCOPED_TRACE("WS-61");
  const tool::Answer answer = bash("echo so far; sleep 30", {{"timeout", 300}});
  const auto jobs = desk.workspace->settings.state / "jobs";
  const std::string record = testing::bytes_of(jobs / (job_of(answer) + ".json"));
  EXPECT_THAT(record, HasSubstr("\"mark\":\"HELVE_JOB="));
  EXPECT_EQ(testing::bytes_of(jobs / (job_of(answer) + ".log")), "so far\n");
  stop(job_of(answer));
}

TEST_F(BashTest, AnExpiredJobNamesTheFileOfItsOutput) {
  SCOPED_TRACE("WS-59 WF-15");
  const tool::Answer answer = bash("seq 1 20000; sleep 30", {{"timeout", 1000}});
  const std::string job = job_of(answer);
  stop(job);
  desk.session->jobs().forget_old(Clock::now() + 25h);
  const tool::Answer expired = follow(job);
  EXPECT_EQ(testing::rule_of(expired), "job.expired");
  EXPECT_THAT(expired.text, HasSubstr(".helve/results/" + job + ".txt"));
  testing::fs::remove(desk.path(".helve/results/" + job + ".txt"));
  EXPECT_THAT(follow(job).text, Not(HasSubstr(".helve")));
}

class ReaderlessTest : public BashTest {
 protected:
  static Settings readerless() {
    Settings settings = settings_of();
    settings.offers_read = false;
    return settings;
  }
  ReaderlessTest() : BashTest(readerless()) {}
};

TEST_F(ReaderlessTest, WhatNobodyCouldReadFromAFileIsReadFromItsJob) {
  SCOPED_TRACE("WS-26");
  const tool::Answer answer = bash("seq 1 200000");
  EXPECT_THAT(answer.text, AllOf(StartsWith("exit code 0"), Not(HasSubstr(".helve/results"))));
  EXPECT_FALSE(testing::fs::exists(desk.path(".helve/results")));
  const size_t at = answer.text.find("bash_output {");
  ASSERT_NE(at, std::string::npos) << answer.text.substr(0, 8000);
  const size_t begin = answer.text.find('{', at), end = answer.text.find('}', at) + 1;
  const Json call = parse_json(answer.text.substr(begin, end - begin)).value();
  EXPECT_EQ(as_text(call.at("job")), job_of(answer));
  std::string all = output(answer).substr(0, output(answer).find("["));
  EXPECT_EQ(all.size(), call.at("cursor").to_number<size_t>());
  std::uint64_t cursor = all.size();
  for (bool more = true; more;) {
    const tool::Answer page = follow(job_of(answer), {{"cursor", cursor}});
    const Json& facts = page.meta.at("io.helve/job");
    more = facts.at("more").as_bool();
    cursor = facts.at("cursor").to_number<std::uint64_t>();
    all += output(page).substr(0, output(page).rfind("["));
  }
  std::string whole;
  for (int i = 1; i <= 200'000; ++i) whole += std::to_string(i) + '\n';
  EXPECT_TRUE(all == whole);
  SCOPED_TRACE("WF-3: what fits names no job");
  EXPECT_THAT(bash("echo short").text, Not(HasSubstr("job_")));
}

TEST_F(BashTest, ACancelledCallTakesItsCommandWithIt) {
  SCOPED_TRACE("WS-7");
  const auto cancellation = std::make_shared<tool::Cancellation>();
  std::optional<tool::Answer> answer;
  boost::asio::co_spawn(
      desk.loop.context(),
      desk.registry.call(desk.session, {.tool = "bash",
                                        .arguments = JsonObject{{"command", "sleep 304"}},
                                        .cancellation = cancellation}),
      [&](std::exception_ptr, tool::Answer got) { answer = std::move(got); });
  EXPECT_EQ(output(bash("sleep 0.2; pgrep -xfc 'sleep 304'")), "1\n");
  cancellation->request(1500ms);
  EXPECT_EQ(output(bash("sleep 0.3; pgrep -xfc 'sleep 304'")), "0\n");
  EXPECT_TRUE(answer);
}

TEST_F(BashTest, LongOutputIsBoundedAndKept) {
  SCOPED_TRACE("WF-11 WS-24 WS-25 WR-11");
  const tool::Answer answer = bash("seq 1 700000");  // 4.8 MB
  EXPECT_LT(answer.text.size(), 31'000U);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("\n1\n2\n"), HasSubstr("\n699999\n700000")));
  const size_t at = answer.text.find(".helve/results/");
  ASSERT_NE(at, std::string::npos) << answer.text.substr(0, 8000);
  const std::string path = answer.text.substr(at, answer.text.find(".txt", at) + 4 - at);
  std::string whole;
  for (int i = 1; i <= 700'000; ++i) whole += std::to_string(i) + '\n';
  EXPECT_TRUE(desk.bytes(path) == whole);
}

TEST_F(BashTest, AShellThatIsMissingIsARefusal) {
  SCOPED_TRACE("WS-32");
  Settings settings = settings_of();
  settings.bash.shell = "/nowhere/bash";
  testing::Desk other(settings);
  HELVE_CHECK(other.registry.add(bash_tool(other.workspace)));
  const tool::Answer answer = other.call("bash", JsonObject{{"command", "true"}});
  EXPECT_EQ(testing::rule_of(answer), "bash.shell_missing");
  SCOPED_TRACE("WS-32: the folder");
  testing::fs::remove_all(desk.workspace->settings.root);
  EXPECT_EQ(testing::rule_of(bash("true")), "bash.cwd_missing");
}

// The numbers that stand alone in their lines.
std::vector<std::uint64_t> numbers_in(const std::string& text) {
  std::vector<std::uint64_t> out;
  for (const std::string_view line : split(text, '\n')) {
    const bool number = !line.empty() && line.find_first_not_of("0123456789") == line.npos;
    if (number) out.push_back(std::stoull(std::string(line)));
  }
  return out;
}

TEST_F(BashTest, WhatComesWhileALongAnswerIsMadeIsForTheNextOne) {
  SCOPED_TRACE("WS-44 WS-46 WR-7: each byte once, also while the rest is written to its file");
  const tool::Answer answer = bash("for ((i = 1;; i++)); do echo $i; done", {{"timeout", 700}});
  const std::string job = job_of(answer);
  const tool::Answer next = follow(job, {{"wait", 5000}});
  stop(job);
  const auto shown = numbers_in(answer.text), after = numbers_in(next.text);
  ASSERT_FALSE(shown.empty() || after.empty()) << answer.text.substr(0, 300);
  EXPECT_EQ(after.front(), shown.back() + 1);
  EXPECT_THAT(answer.text, HasSubstr("\"cursor\":" + write_json(data(answer).at("cursor"))));
  const size_t at = answer.text.find(".helve/results/");
  if (at == std::string::npos) return;  // too slow a machine for a long answer
  const std::string path = answer.text.substr(at, answer.text.find(".txt", at) + 4 - at);
  EXPECT_EQ(numbers_in(desk.bytes(path)).size(), shown.back()) << "the file ends where it ends";
}

TEST_F(BashTest, AJobThatOutlivesItsCallHasALimit) {
  SCOPED_TRACE("WS-39: 24 h by default once a job outlives its call");
  EXPECT_EQ(desk.workspace->settings.bash.kill_after_call, 24h);
  Settings settings = settings_of();
  settings.bash.kill_after_call = 300ms;
  testing::Desk other(settings);
  HELVE_CHECK(other.registry.add(bash_tool(other.workspace)));
  HELVE_CHECK(tool::add_bash_job_tools(other.registry));
  const tool::Answer answer =
      other.call("bash", JsonObject{{"command", "sleep 30"}, {"timeout", 0}});
  tool::Answer end;
  for (int i = 0; i < 3; ++i) {
    end = other.call("bash_output", JsonObject{{"job", job_of(answer)}, {"wait", 20'000}});
    if (as_text(end.meta.at("io.helve/job").at("state")) != "running") break;
  }
  EXPECT_THAT(end.text, StartsWith("ended by its limit kill_after"));
}

TEST_F(BashTest, OneJobTooManyIsRefused) {
  SCOPED_TRACE("WS-58");
  desk.session->jobs().most = 1;
  bash("sleep 306", {{"timeout", 100}});
  const tool::Answer full = bash("true");
  EXPECT_EQ(testing::rule_of(full), "job.too_many");
  EXPECT_THAT(full.text, HasSubstr("(sleep 306, "));
}

TEST_F(BashTest, ADiskThatIsAlmostFullIsLeftAlone) {
  SCOPED_TRACE("WS-34: a host whose disk is almost full refuses new commands");
  if (!os::testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  for (const auto disk : {&Settings::root, &Settings::state}) {
    const std::string said = os::testing::with_mounts([&]() -> std::string {
      testing::Desk other(settings_of());
      HELVE_CHECK(other.registry.add(bash_tool(other.workspace)));
      const std::string folder = other.workspace->settings.*disk;
      if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) return "no tmpfs";
      const tool::Answer answer = other.call("bash", JsonObject{{"command", "true"}});
      ::umount(folder.c_str());
      return testing::rule_of(answer) + (answer.text.contains(folder) ? " of this disk" : "");
    });
    EXPECT_EQ(said, "bash.disk_full of this disk");
  }
}

TEST_F(BashTest, ADiskThatNobodyCanFillIsNoReason) {
  if (!os::testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  const auto text = os::testing::with_mounts([]() -> std::string {
    testing::Desk other(settings_of());
    HELVE_CHECK(other.registry.add(bash_tool(other.workspace)));
    const std::string root = other.workspace->settings.root;
    if (::mount("tmpfs", root.c_str(), "tmpfs", MS_RDONLY, "size=1m") != 0) return "no tmpfs";
    const tool::Answer answer = other.call("bash", JsonObject{{"command", "echo up"}});
    ::umount(root.c_str());
    return answer.text;
  });
  EXPECT_THAT(text, AllOf(StartsWith("exit code 0"), HasSubstr("up\n")));
}

class FloodTest : public BashTest {
 protected:
  static Settings small() {
    Settings settings = settings_of();
    settings.bash.output_bytes = 20'000'000;
    return settings;
  }
  FloodTest() : BashTest(small()) {}
};

TEST_F(FloodTest, TooMuchOutputEndsTheCommand) {
  SCOPED_TRACE("WS-34");
  const tool::Answer answer = bash("yes");
  EXPECT_THAT(answer.text, StartsWith("ended by the limit of"));
  EXPECT_EQ(as_text(data(answer).at("reason")), "output");
}

TEST(Bash, SharedSessionsGetAllThatTheyNeedToGoOn) {
  testing::Desk desk(settings_of());
  HELVE_CHECK(desk.registry.add(bash_tool(desk.workspace)));
  HELVE_CHECK(tool::add_bash_job_tools(desk.registry));
  const auto shared = std::make_shared<tool::Session>(tool::Session::Memory::kShared, "token");
  const tool::Answer answer = desk.call(
      shared, "bash", JsonObject{{"command", "echo one; sleep 0.5; echo two"}, {"timeout", 200}});
  const Json& facts = answer.meta.at("io.helve/data");
  const tool::Answer rest = desk.call(
      shared, "bash_output",
      JsonObject{{"job", facts.at("job")}, {"cursor", facts.at("cursor")}, {"wait", 20'000}});
  EXPECT_THAT(rest.text, AllOf(HasSubstr("two"), Not(HasSubstr("one"))));
}

}  // namespace
}  // namespace helve::workspace
