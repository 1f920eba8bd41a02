#include "host/control.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "base/ids.h"
#include "host/detail/control_folder.h"
#include "host/detail/control_lines.h"
#include "host/jobs_command.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string describe(const Result<ControlRequest>& request) {
  if (!request) return request.error().rule + ' ' + request.error().args.front().second;
  return control_line(*request);
}

TEST(ControlLines, AreReadOrRefused) {
  struct Case {
    const char* line;
    const char* want;
  };
  const Case cases[] = {
      {R"({"do":"list"})", "{\"do\":\"list\"}\n"},
      {R"({"do":"list","job":7})", "{\"do\":\"list\"}\n"},
      {R"({"do":"follow","job":"j"})", "{\"do\":\"follow\",\"job\":\"j\",\"cursor\":0}\n"},
      {R"({"do":"follow","job":"j","cursor":5})",
       "{\"do\":\"follow\",\"job\":\"j\",\"cursor\":5}\n"},
      {R"({"do":"stop","job":"j"})", "{\"do\":\"stop\",\"job\":\"j\"}\n"},
      {R"({"do":"follow","job":"j","cursor":-1})",
       "control.invalid \"cursor\" is no whole number from 0"},
      {R"({"do":"stop"})", "control.invalid \"job\" is no text"},
      {R"({"do":"dance"})", "control.invalid \"do\" is neither list nor follow nor stop"},
      {R"({"do":7})", "control.invalid \"do\" is neither list nor follow nor stop"},
      {"[]", "control.invalid it is no JSON object"},
      {"", "control.invalid it is no JSON object"},
  };
  for (const Case& c : cases) EXPECT_EQ(describe(read_control_line(c.line)), c.want) << c.line;
}

TEST(ControlLines, RefusalsComeThroughAndThoseOfOtherVersionsAreSaid) {
  const Refusal refusal{"jobs.unknown", {{"job", "job_1"}}};
  EXPECT_EQ(read_refusal(*parse_json(refusal_line(refusal))), refusal);
  EXPECT_EQ(read_refusal(*parse_json(refusal_line({"no.such_rule", {}})))->rule,
            "control.unreadable");
  EXPECT_EQ(read_refusal(*parse_json(R"({"done":true})")), std::nullopt);
  EXPECT_EQ(read_refusal(*parse_json(R"({"refusal":7})"))->rule, "control.unreadable");
}

// A daemon with one job, and the command line that asks it, each in a thread of its own.
class ControlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(base / "project");
    around.cwd = base / "project";
    around.variables["XDG_STATE_HOME"] = (base / "state").string();
    state = state_folder(around.cwd, around);
    session = *sessions.open(tool::Session::Memory::kOwn);
    job = std::make_shared<tool::Job>();
    job->id = "job_00112233445566ff";
    job->tool = "bash";
    job->title = "make\tall";
    job->cancellation = std::make_shared<tool::Cancellation>();
    session->jobs().add(job);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(base, ignored);
  }
  void begin() { control.emplace(loop, sessions, state, console); }

  struct Ran {
    int code = -1;
    std::string out, err;
  };
  // `meanwhile` runs on the loop, some time after the command has begun.
  Ran run(std::vector<std::string> words, bool json = false,
          const std::function<void()>& meanwhile = {}) {
    Ran ran;
    std::ostringstream out, err;
    Console mine{out, err};
    const auto work = boost::asio::make_work_guard(loop.context());
    std::thread command([&] {
      ran.code = jobs_command({.words = std::move(words), .json = json}, mine, around);
      boost::asio::post(loop.context(), [&] { loop.stop(); });
    });
    boost::asio::steady_timer later(loop.context(), 100ms);
    if (meanwhile) later.async_wait([&](const boost::system::error_code&) { meanwhile(); });
    loop.context().restart();
    loop.run();
    command.join();
    ran.out = out.str();
    ran.err = err.str();
    return ran;
  }

  const fs::path base = fs::temp_directory_path() / ("helve-control-" + random_hex(8));
  Surroundings around;
  fs::path state;
  std::ostringstream said;
  Console console{said, said};
  os::Loop loop;
  tool::Sessions sessions;
  std::shared_ptr<tool::Session> session;
  std::shared_ptr<tool::Job> job;
  std::optional<Control> control;
};

TEST_F(ControlTest, ListsTheJobsOfAllSessions) {
  begin();
  const auto other = sessions.open(tool::Session::Memory::kOwn);
  ASSERT_TRUE(other);
  const Ran ran = run({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("job_00112233445566ff  bash  running"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("make all"), std::string::npos) << "nothing steers the terminal";
  const auto json = parse_json(run({"list"}, true).out);
  ASSERT_TRUE(json && json->is_array() && json->get_array().size() == 1);
  EXPECT_EQ(find_text(json->get_array()[0], "session"), session->id());
  EXPECT_EQ(find_text(json->get_array()[0], "title"), "make\tall");
  EXPECT_EQ(said.str(), "");
}

TEST_F(ControlTest, FollowPrintsTheOutputAsItComesAndThenTheStatus) {
  begin();
  job->log.add("before\n");
  const Ran ran = run({"follow", job->id}, false, [&] {
    job->log.add("meanwhile\tx\n");
    job->end({.text = "the end\n"});
  });
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "before\nmeanwhile\tx\nthe end\n");
  EXPECT_NE(ran.err.find("done after"), std::string::npos) << ran.err;
  EXPECT_EQ(job->read, 0U) << "the agent has read nothing by it";
}

TEST_F(ControlTest, StopEndsTheJobAndSaysHow) {
  begin();
  job->cancellation->on_request([&](Duration) { job->end({.is_error = true, .text = ""}); });
  const Ran ran = run({"stop", job->id});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("stopped after"), std::string::npos) << ran.out;
  EXPECT_NE(run({"stop", job->id}).out.find("had already ended"), std::string::npos);
}

TEST_F(ControlTest, RefusesWhatThereIsNot) {
  const Ran none = run({});
  EXPECT_EQ(none.code, 0) << "no daemon is an empty list";
  EXPECT_NE(none.err.find("no helve is serving"), std::string::npos) << none.err;
  EXPECT_EQ(run({}, true).out, "[]\n");
  EXPECT_EQ(run({"follow", job->id}).code, 1);
  EXPECT_EQ(run({"stop", job->id}).code, 1);
  begin();
  const Ran unknown = run({"follow", "job_0000000000000000"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("job_0000000000000000"), std::string::npos) << unknown.err;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"folow", "x"}, {"follow"}, {"list", "x"}, {"stop"}}) {
    EXPECT_EQ(run(words).code, 2);
  }
}

TEST_F(ControlTest, ADaemonThatGoesAwayIsSaid) {
  begin();
  const Ran ran = run({"follow", job->id}, false, [&] { control.reset(); });
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("went away"), std::string::npos) << ran.err;
}

TEST_F(ControlTest, TheSocketIsPrivateAndThoseOfDeadDaemonsGo) {
  const auto made = ControlFolder::make(state);
  ASSERT_TRUE(made);
  const ControlFolder& folder = *made;
  {
    const auto dead = folder.listen("1.sock");
  }
  std::ofstream(state / "control" / "note.txt") << "not ours";
  begin();
  EXPECT_EQ(folder.names(), std::vector<std::string>{std::to_string(::getpid()) + ".sock"});
  EXPECT_FALSE(fs::exists(state / "control" / "1.sock"));
  EXPECT_TRUE(fs::exists(state / "control" / "note.txt"));
  EXPECT_EQ(fs::status(state / "control").permissions(), fs::perms::owner_all);
  control.reset();
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ControlTest, NothingOfItKeepsTheLoop) {
  begin();
  const ControlFolder folder(state);
  const auto open = folder.connect(std::to_string(::getpid()) + ".sock");
  ASSERT_TRUE(open);
  const std::string line = control_line({.verb = ControlVerb::kFollow, .job = job->id});
  ASSERT_EQ(::send(open.get(), line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
  loop.context().restart();
  loop.context().run_for(50ms);
  control.reset();
  loop.context().restart();
  loop.run();  // returns
  SUCCEED();
}

TEST_F(ControlTest, ARequestThatIsTooLongOrNoneIsRefused) {
  begin();
  const ControlFolder folder(state);
  for (const std::string& bytes : {std::string(kMostRequest, 'x'), std::string("dance\n")}) {
    const auto open = folder.connect(std::to_string(::getpid()) + ".sock");
    ASSERT_TRUE(open);
    ASSERT_EQ(::send(open.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    loop.context().restart();
    loop.context().run_for(50ms);
    std::string answer(1000, '\0');
    const ssize_t got = ::recv(open.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    ASSERT_GT(got, 0);
    EXPECT_NE(answer.find("control.invalid"), std::string::npos) << answer;
  }
}

TEST_F(ControlTest, AFolderThatCannotBeMadeIsSaidAndNothingMore) {
  fs::create_directories(state.parent_path());
  std::ofstream(state) << "a file";
  begin();
  EXPECT_NE(said.str().find("helve jobs"), std::string::npos) << said.str();
}

}  // namespace
}  // namespace helve::host
