// Whole runs on real processes. The clauses are those of the command template format.
#include "commands/run.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <boost/asio/steady_timer.hpp>

#include "base/ids.h"
#include "commands/testing/runs.h"
#include "schema/schema.h"

namespace helve::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Given;
using testing::run;

// "status exit result", the one line that most cases are about.
std::string describe(const Run& ended) {
  return std::string(name(ended.report.status)) + " " + std::to_string(ended.report.exit) + " " +
         std::string(ended.result.tail());
}

struct Case {
  const char *name, *node, *want;
};

constexpr Case kEndings[] = {
    {"CT-69 exit 0 is success", "`true`", "ok 0 "},
    {"CT-69 no shell reads the words", "`echo $HOME ; *`", "ok 0 $HOME ; *\n"},
    {"CT-73 an exit status is the code", "`sh -c 'exit 7'`", "failed 7 "},
    {"CT-73 a signal is 128+n and a failure", "`sh -c 'kill -SEGV $$'`", "failed 139 "},
    {"CT-73 a command that is not found is 127", "`helve-no-such-command`", "failed 127 "},
    {"CT-73 a file that is not executable is 126", "`/etc/passwd`", "failed 126 "},
    {"CT-73 a timeout is 124", "{`template`:`sleep 60`,`timeout`:50}", "timed_out 124 "},
    {"CT-75 a step reads what the step before it wrote", "[`echo abc`,`tr a-c A-C`]", "ok 0 ABC\n"},
    {"CT-71 without input stdin is empty", "`cat`", "ok 0 "},
    {"CT-71 a step that never reads its stdin does not hang", "[`seq 200000`,`true`]", "ok 0 "},
    {"CT-76 a join is in array order, whatever ends first",
     "{`parallel`:true,`template`:[`sh -c 'sleep 0.2; echo a'`,`echo b`]}",
     "ok 0 --- branch: branch 1 status: done ---\na\n--- branch: branch 2 status: done ---\nb\n"},
    {"CT-77 a timed out branch says timeout",
     "{`parallel`:true,`template`:[{`template`:`sleep 60`,`timeout`:50},`echo b`]}",
     "degraded 0 --- branch: branch 1 status: timeout ---\nexit: 124\n"
     "--- branch: branch 2 status: done ---\nb\n"},
    {"CT-79 a group that went on past a failure is degraded, a skipped child has no body",
     "{`parallel`:true,`template`:[[`echo a`,`false`,`echo b`],{`when`:false,`template`:`x`}]}",
     "degraded 0 --- branch: branch 1 status: degraded ---\nb\n"
     "--- branch: branch 2 status: skipped ---"},
    {"CT-80 one success is enough for a parallel node",
     "{`parallel`:true,`template`:[`false`,`true`]}",
     "degraded 0 --- branch: branch 1 status: failed ---\nexit: 1\n"
     "--- branch: branch 2 status: done ---"},
    {"CT-83 after a failure the next child reads nothing", "[`echo a`,`false`,`wc -c`]",
     "degraded 0 0\n"},
    {"CT-83 if the last child failed, stdout is empty", "[`echo a`,`sh -c 'cat; exit 2'`]",
     "degraded 0 "},
    {"CT-84 a branch failure crosses sequences up to the root",
     "[[{`failure`:`branch`,`template`:`sh -c 'exit 5'`},`echo b`],`echo c`]", "failed 5 "},
    {"CT-84 and ends at the nearest parallel node",
     "{`parallel`:true,`template`:[[[{`failure`:`branch`,`template`:`sh -c 'exit 5'`},`echo b`],"
     "`echo c`],`echo d`]}",
     "degraded 0 --- branch: branch 1 status: failed ---\nexit: 5\n"
     "--- branch: branch 2 status: done ---\nd\n"},
    {"CT-84 on a parallel node itself any failed child fails the node",
     "[{`failure`:`branch`,`parallel`:true,`template`:[`true`,`sh -c 'exit 6'`]},`echo b`]",
     "failed 6 "},
    {"CT-86 a sequence in which nothing succeeded fails with the last code",
     "[`false`,`sh -c 'exit 4'`]", "failed 4 "},
    {"CT-87 a failure that was tolerated is a degraded success", "[`false`,`echo b`]",
     "degraded 0 b\n"},
    {"CT-68 a group with nothing but skipped children does not wait its delay",
     "{`delay`:3600000,`template`:[{`when`:false,`template`:`x`},{`repeat`:`{none.length}`,"
     "`template`:`x`}],`defaults`:{`none`:[]}}",
     "ok 0 "},
    {"CT-79 a branch that was cut off says cancelled",
     "{`parallel`:true,`template`:[`sleep 60`,{`failure`:`root`,`template`:`false`}]}",
     "failed 1 --- branch: branch 1 status: cancelled ---\n"
     "--- branch: branch 2 status: failed ---\nexit: 1"},
    {"CT-83 a sequence that failed has written nothing",
     "[`echo a`,{`failure`:`branch`,`template`:`sh -c 'cat; exit 2'`}]", "failed 2 "},
    {"CT-88 a group is retried as a whole, with its own input",
     "[`echo in`,{`retry`:2,`failure`:`branch`,`template`:[`cat`,{`failure`:`branch`,"
     "`template`:`sh -c 'test -e FOLDER/once && cat || (touch FOLDER/once; exit 1)'`}]}]",
     "ok 0 in\n"},
    {"CT-89 a failing recovery ends the attempts with its code",
     "{`retry`:3,`recover`:`sh -c 'exit 44'`,`template`:`false`}", "failed 44 "},
    {"CT-89 unless it says continue: a leaf",
     "{`retry`:2,`recover`:{`failure`:`continue`,`template`:`false`},`template`:"
     "`sh -c 'test -e FOLDER/x || (touch FOLDER/x; exit 1)'`}",
     "ok 0 "},
    {"CT-89 unless it says continue: a group",
     "{`retry`:2,`recover`:{`failure`:`continue`,`template`:[`false`,`true`]},`template`:"
     "`sh -c 'test -e FOLDER/x || (touch FOLDER/x; exit 1)'`}",
     "ok 0 "},
    {"CT-89 the recovery of a failed sequence reads nothing",
     "[`echo a`,{`retry`:2,`recover`:`sh -c 'cat > FOLDER/in'`,`template`:"
     "[`sh -c 'echo some; exit 1'`,`sh -c 'cat FOLDER/in; test -e FOLDER/in'`]}]",
     "degraded 0 "},
    {"CT-90 a delay only delays its own branch",
     "{`parallel`:true,`template`:[{`delay`:100,`template`:`echo a`},`echo b`]}",
     "ok 0 --- branch: branch 1 status: done ---\na\n--- branch: branch 2 status: done ---\nb\n"},
    {"CT-91 a group's timeout bounds everything inside",
     "{`timeout`:100,`template`:[`echo a`,[`sleep 60`,`echo b`]]}", "timed_out 124 "},
    {"CT-91 a group that ends in time is not touched", "{`timeout`:60000,`template`:[`echo a`]}",
     "ok 0 a\n"},
    {"CT-91 a timed out attempt is retried", "{`retry`:2,`timeout`:100,`template`:`sleep 60`}",
     "timed_out 124 "},
    {"CT-89 a recovery between the attempts",
     "{`retry`:2,`recover`:`touch FOLDER/x`,`template`:`ls FOLDER/x`}", "ok 0 FOLDER/x\n"},
    {"CT-94 the root's output selects the result",
     "{`output`:`{out=FOLDER} it is`,`template`:`true`}", "ok 0 FOLDER it is"},
};

std::string with_folder(std::string text, const std::filesystem::path& folder) {
  constexpr std::string_view kWord = "FOLDER";
  for (size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord)) {
    text.replace(at, kWord.size(), folder.string());
  }
  return text;
}

TEST(Run, EndsAsTheFormatSays) {
  for (const Case& c : kEndings) {
    SCOPED_TRACE(c.name);
    const testing::TemporaryFolder folder;
    const auto ended = run({.node = with_folder(c.node, folder.path())});
    EXPECT_EQ(describe(ended), with_folder(c.want, folder.path()));
  }
}

TEST(Run, CT72_PipesBytesExactlyAlsoWhenTheyAreManyAndNotText) {
  // 40 MiB that are no UTF-8 go through a spill file; the sum is of as many bytes 0xFF.
  const auto ended =
      run({.node = "[`head -c 41943040 /dev/zero`, `tr '\\\\000' '\\\\377'`, `cksum`]"});
  EXPECT_EQ(describe(ended), "ok 0 1133831649 41943040\n");
  EXPECT_EQ(ended.report.steps[1].out.bytes, 41943040U);
  EXPECT_TRUE(ended.report.steps[1].out.truncated);
}

TEST(Run, CT72_AStepWhoseInputIsNotAllThereFailsWith74) {
  const auto ended = run({.node = "[{`failure`:`root`,`template`:`head -c 3000000 /dev/zero`},"
                                  "{`failure`:`root`,`template`:`wc -c`}]",
                          .keep_reports = false});
  EXPECT_EQ(ended.report.exit, 74);
  EXPECT_EQ(ended.report.steps[1].reason, "input_incomplete");
}

TEST(Run, CT74_ABackgroundGrandchildDoesNotHoldAFinishedStep) {
  const auto began = Clock::now();
  const auto ended = run({.node = "[`sh -c 'sleep 60 & echo started'`, `cat`]"});
  EXPECT_EQ(describe(ended), "ok 0 started\n");
  EXPECT_TRUE(ended.report.steps[0].lingered);
  EXPECT_LT(Clock::now() - began, seconds(10));  // five times the drain time
}

// A duration for `sleep` that no other process has on its command line.
std::string unique_seconds() {
  std::string seconds = "71";
  for (const char c : random_hex(4)) seconds += static_cast<char>('0' + c % 10);
  return seconds;
}

TEST(Run, CT90_CT63_ADelayIsOncePerNodeAndOncePerInstance) {
  for (const char* node : {"{`delay`:150,`retry`:4,`template`:`false`}",
                           "{`repeat`:1,`delay`:150,`retry`:4,`template`:`false`}"}) {
    SCOPED_TRACE(node);
    const auto ended = run({.node = node});
    ASSERT_EQ(ended.report.steps.size(), 4U);
    EXPECT_GE(ended.report.steps[0].start, milliseconds(150));
    EXPECT_LT(ended.report.steps[3].start - ended.report.steps[0].start, milliseconds(750));
  }
  const auto ended = run({.node = "{`repeat`:3,`delay`:100,`template`:`true`}"});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(ended.report.steps[i].start, (i + 1) * milliseconds(100));
  }
}

TEST(Run, CT85_ARootFailureEndsRunningSiblings) {
  const std::string digits = unique_seconds();
  const std::string node = "{`parallel`:true,`template`:[`sleep " + digits +
                           "`,{`failure`:`root`,`template`:`false`},`sleep " + digits + "`]}";
  const auto ended = run({.node = node});
  EXPECT_EQ(ended.report.status, Status::kFailed);
  EXPECT_EQ(ended.report.exit, 1);
  EXPECT_EQ(ended.report.branches[0].children[0].status, Status::kCancelled);
  EXPECT_EQ(ended.report.branches[0].children[1].status, Status::kFailed);
  EXPECT_FALSE(testing::is_running(digits));
}

TEST(Run, CT92_ATimeoutKillsTheWholeTreeThatIgnoresTerm) {
  const std::string mark = unique_seconds();
  const std::string node =
      "{`timeout`:200,`template`:`sh -c 'trap \\\"\\\" TERM; (trap \\\"\\\" TERM; sleep " + mark +
      ") & sleep " + mark + "'`}";
  RunRequest request;
  request.runner.grace = milliseconds(300);
  const auto ended = run({.node = node, .request = request});
  EXPECT_EQ(ended.report.status, Status::kTimedOut);
  EXPECT_TRUE(ended.report.steps[0].killed);
  EXPECT_FALSE(testing::is_running(mark));
}

TEST(Run, CT93_ACancelledRunStartsNothingMore) {
  const auto cancel = [](os::Loop& loop, Stop& stop) {
    auto timer = std::make_shared<boost::asio::steady_timer>(loop.context(), milliseconds(200));
    timer->async_wait([timer, &stop](auto) { stop.request(milliseconds(500)); });
  };
  constexpr Case kCases[] = {
      {"while a step runs", "[`sleep 60`,`echo never`]", ""},
      {"during a delay", "[{`delay`:60000,`template`:`echo never`},`echo never`]", ""},
      {"with attempts left", "{`retry`:5,`recover`:`echo never`,`template`:`sleep 60`}", ""},
      {"in a parallel node", "{`parallel`:true,`repeat`:200,`template`:`sleep 60`}", ""},
      {"inside a group with a timeout", "{`timeout`:50000,`template`:[`sleep 60`,`echo never`]}",
       ""},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto ended = run({.node = c.node, .meanwhile = cancel});
    EXPECT_EQ(ended.report.status, Status::kCancelled);
    EXPECT_EQ(ended.report.exit, 130);
    size_t started = 0;
    for (const StepRun& step : ended.report.steps) {
      if (step.ran && step.step->argv.front() == "echo") ADD_FAILURE() << "started after the stop";
      started += step.ran ? 1U : 0U;
    }
    EXPECT_LE(started, 64U);
  }
}

// Counts how many leaves run at once.
class Counter : public Observer {
 public:
  void started(const StepRun&) override { most = std::max(most, ++now); }
  void finished(const StepRun& run) override {
    if (run.ran) --now;
  }
  int now = 0, most = 0;
};

TEST(Run, CT81_ChildrenAboveTheCapAreQueued) {
  Counter counter;
  RunRequest request;
  request.width = 5;
  const auto ended = run({.node = "{`parallel`:true,`repeat`:40,`template`:`true`}",
                          .request = request,
                          .observer = &counter});
  EXPECT_EQ(ended.report.status, Status::kOk);
  EXPECT_EQ(ended.report.coverage().done, 40U);
  EXPECT_LE(counter.most, 5);
}

TEST(Run, CT95_AnAbsentArtifactIsAFailure) {
  const auto ended = run({.node = "{`args`:[`to:path`],`output`:`{to}`,`template`:`true`}",
                          .values = "{`to`:`no-such-file`}"});
  EXPECT_EQ(ended.report.status, Status::kFailed);
  EXPECT_EQ(ended.report.reason, "artifact_missing");
}

TEST(Run, CT103_SecretsAreMaskedWhereverTheReportCouldShowThem) {
  RunRequest request;
  request.secret = {"token"};
  const auto ended = run({.node = "[`echo {token} {user}`, `cat`, `sh -c 'cat >&2; exit 3'`]",
                          .values = "{`token`:`hunter2-hunter2`,`user`:`ann`}",
                          .request = request});
  EXPECT_EQ(ended.json.find("hunter2"), std::string::npos) << ended.json;
  EXPECT_NE(ended.json.find("ann"), std::string::npos);
}

TEST(Run, CT101_EveryAttemptIsKeptAndSkippedNodesSayWhy) {
  const auto ended =
      run({.node = "{`failure`:`root`,`template`:[{`when`:false,`template`:`a`},"
                   "{`repeat`:`{xs.length}`,`template`:`b {index}`},"
                   "{`label`:`tries`,`retry`:3,`failure`:`root`,`template`:`false`},`c`]}",
           .values = "{`xs`:[]}"});
  ASSERT_EQ(ended.report.steps.size(), 6U);
  EXPECT_EQ(ended.report.steps[0].reason, "when");
  EXPECT_EQ(ended.report.steps[1].reason, "repeat=0");
  EXPECT_EQ(ended.report.steps[2].attempt, 1);
  EXPECT_EQ(ended.report.steps[4].attempt, 3);
  EXPECT_EQ(ended.report.steps[4].scope, tmpl::Failure::kRoot);
  EXPECT_EQ(ended.report.steps[5].reason, "stopped");
  EXPECT_EQ(ended.report.failures, (std::vector<size_t>{4}));
}

TEST(Run, CT102_AParallelNodeSaysHowMuchOfItIsThere) {
  const auto ended =
      run({.node = "{`parallel`:true,`template`:[`true`,`false`,{`when`:false,`template`:`x`}]}"});
  const auto report = parse_json(ended.json);
  ASSERT_TRUE(report);
  const Json& node = report->at("branches").at(0);
  EXPECT_EQ(node.at("expected").as_int64(), 2);
  EXPECT_EQ(node.at("done").as_int64(), 1);
  EXPECT_EQ(node.at("failed").as_int64(), 1);
  EXPECT_EQ(node.at("skipped").as_int64(), 1);
  EXPECT_EQ(write_json(node.at("coverage")), "0.5");
  EXPECT_EQ(as_text(node.at("children").at(1).at("reason")), "nonzero_exit");
}

TEST(Run, CT100_EveryReportIsOfItsSchema) {
  const auto document = parse_json(report_schema());
  ASSERT_TRUE(document);
  const auto schema = schema::Schema::compile(*document);
  ASSERT_TRUE(schema);
  std::vector<Given> given;
  for (const Case& c : kEndings) given.push_back({.node = c.node});
  given.push_back({.node = "{`parallel`:true,`label`:`all`,`repeat`:3,`template`:"
                           "[{`label`:`n {index}`,`template`:`echo {index}`},`cat`]}"});
  given.push_back({.node = "{`retry`:2,`recover`:`true`,`template`:[`true`,{`failure`:`branch`,"
                           "`template`:`false`}]}"});
  given.push_back({.node = "{`when`:false,`template`:`true`}"});
  for (const Given& one : given) {
    SCOPED_TRACE(one.node);
    const auto ended = run(one);
    const auto report = parse_json(ended.json);
    ASSERT_TRUE(report);
    for (const auto& violation : schema->validate(*report)) {
      ADD_FAILURE() << violation.instance << ": " << violation.message;
    }
  }
}

TEST(Run, CT103_TheEvidenceIsThereWhileTheRunGoesOn) {
  const testing::TemporaryFolder folder;
  Report report{.cwd = "/"};
  tmpl::Step step{.path = "template[0]", .argv = {"true"}};
  const auto file = folder.path() / "steps.jsonl";
  Recorder recorder(report, os::UniqueFd(::open(file.c_str(), O_WRONLY | O_CREAT, 0600)), nullptr);
  const size_t index = recorder.start(step, 1, 0, false);
  EXPECT_EQ(testing::contents(file), "");
  StepRun ended;
  ended.status = Status::kOk;
  recorder.finish(index, std::move(ended));
  const auto line = parse_json(testing::contents(file));
  ASSERT_TRUE(line);
  EXPECT_EQ(as_text(line->at("path")), "template[0]");
}

TEST(Run, TheReportsTextIsBoundedAndFailuresKeepALittle) {
  const auto ended = run({.node = "{`parallel`:true,`repeat`:2200,`template`:`seq 3000`}"});
  size_t kept = 0;
  for (const StepRun& step : ended.report.steps) kept += step.out.text.size();
  EXPECT_LE(kept, 16U * 1024 * 1024);
  EXPECT_EQ(ended.report.coverage().done, 2200U);
}

}  // namespace
}  // namespace helve::commands
