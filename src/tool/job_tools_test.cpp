#include "tool/job_tools.h"

#include <gtest/gtest.h>

#include "base/encoded.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;
using testing::closed_gate;
using testing::patient;
using testing::rule_of;
using testing::World;

const Json& fact(const Answer& answer, std::string_view name) {
  return answer.meta.at("io.helve/job").at(name);
}

// A session with one job as bash makes them: its output is in its log, and it has its own status.
struct ShellWorld : World {
  ShellWorld() {
    HELVE_CHECK(add_bash_job_tools(registry));
    job = add_job("job_00112233445566ff");
  }
  std::shared_ptr<Job> add_job(const std::string& id) {
    auto made = std::make_shared<Job>();
    made->id = id;
    made->tool = "bash";
    made->title = "make -j8 all && make test && echo a rather long command that goes on and on";
    made->cancellation = std::make_shared<Cancellation>();
    made->status = [this](const Job& one) {
      return JobStatus{one.id + " " + state, {{"state", state}}};
    };
    session->jobs().add(made);
    return made;
  }
  JsonObject with(JsonObject more) {
    more["job"] = job->id;
    return more;
  }
  Answer output(JsonObject more = {}) { return call("bash_output", with(std::move(more))); }
  std::shared_ptr<std::optional<Answer>> begin(const char* tool, JsonObject more = {}) {
    return start(registry.call(session, {.tool = tool, .arguments = with(std::move(more))}));
  }
  // At most so long, until it has its answer.
  void run_until(const std::shared_ptr<std::optional<Answer>>& answer, Duration most = 20s) {
    const auto latest = Clock::now() + most;
    context.restart();
    while (!*answer && Clock::now() < latest) context.run_one_for(20ms);
  }

  std::string state = "running";
  std::shared_ptr<Job> job;
};

TEST(JobTools, Ws45ArgumentsAreHeldToTheirRanges) {
  ShellWorld world;
  for (const JsonObject& wrong :
       {JsonObject{{"wait", 600'001}}, JsonObject{{"wait", -1}}, JsonObject{{"tail", 0}},
        JsonObject{{"tail", 501}}, JsonObject{{"cursor", -1}}, JsonObject{{"wait_s", 1}}}) {
    EXPECT_EQ(rule_of(world.output(wrong)), "args.invalid") << write_json(wrong);
  }
  for (const JsonObject& right : {JsonObject{{"wait", "0"}}, JsonObject{{"tail", 500}},
                                  JsonObject{{"cursor", 0}, {"wait", 0}}}) {
    EXPECT_FALSE(world.output(right).is_error) << write_json(right);
  }
}

TEST(JobTools, Ws46GivesWhatIsNewAndRepeatsALostAnswer) {
  ShellWorld world;
  world.job->log.add("one\n");
  const Answer first = world.output();
  EXPECT_TRUE(first.text.contains("one\n"));
  EXPECT_EQ(fact(first, "from"), 0);
  EXPECT_EQ(fact(first, "cursor"), 4);
  world.job->log.add("two\n");
  const Answer second = world.output();
  EXPECT_FALSE(second.text.contains("one"));
  EXPECT_TRUE(second.text.contains("two\n"));
  const Answer again = world.output({{"cursor", 4}});
  EXPECT_TRUE(again.text.contains("two\n")) << "as often as wanted";
  EXPECT_EQ(fact(again, "skipped"), 0);
}

TEST(JobTools, Wf10PollsTogetherGiveEachByteOnceAndLittleBeside) {
  ShellWorld world;
  std::string all;
  size_t sent = 0;
  constexpr int kPolls = 200;
  for (int i = 0; i < kPolls; ++i) {
    world.job->log.add(std::string(5000, static_cast<char>('a' + i % 26)) + '\n');
    const Answer answer = world.output();
    sent += answer.text.size();
    const size_t from = answer.text.find('\n') + 1;
    all += answer.text.substr(from, answer.text.rfind('\n') - from + 1);
  }
  EXPECT_EQ(all.size(), kPolls * 5001U) << "WR-7";
  EXPECT_LT(static_cast<double>(sent), 1.1 * static_cast<double>(all.size())) << "WR-7";
}

TEST(JobTools, Ws46WhereNothingIsRememberedACursorIsGiven) {
  ShellWorld world;
  world.session = std::make_shared<Session>(Session::Memory::kShared);
  world.job = world.add_job("job_00112233445566fe");
  world.job->log.add("one\n");
  EXPECT_TRUE(world.output().text.contains("one"));
  EXPECT_TRUE(world.output().text.contains("one")) << "from the beginning again";
  EXPECT_FALSE(world.output({{"cursor", 4}}).text.contains("one"));
}

TEST(JobTools, Ws47AWaitEndsWithNewOutputAndWhatComesWithinAMoment) {
  ShellWorld world;
  const auto answer = world.begin("bash_output", {{"wait", 45'000}});
  EXPECT_FALSE(answer->has_value());
  world.job->log.add("one\n");
  world.poll();
  EXPECT_FALSE(answer->has_value()) << "it collects";
  world.job->log.add("two\n");
  world.run_until(answer);
  ASSERT_TRUE(answer->has_value());
  EXPECT_TRUE((*answer)->text.contains("one\ntwo\n")) << (*answer)->text;
}

TEST(JobTools, Ws47AWaitEndsWithAnotherStatusOrTheEnd) {
  ShellWorld world;
  const auto lingers = world.begin("bash_output", {{"wait", 45'000}});
  world.state = "lingering";
  world.job->changed();
  world.poll();
  ASSERT_TRUE(lingers->has_value());
  EXPECT_EQ(fact(**lingers, "state"), "lingering") << "WS-55";

  const auto ends = world.begin("bash_output", {{"wait", 45'000}});
  world.job->changed();  // nothing that shows
  world.poll();
  EXPECT_FALSE(ends->has_value());
  world.state = "exited";
  world.job->end({});
  world.poll();
  ASSERT_TRUE(ends->has_value());
  EXPECT_EQ(fact(**ends, "state"), "exited") << "WS-55";
}

TEST(JobTools, Ws47AWaitEndsWithItsTime) {
  ShellWorld world;
  const auto begun = Clock::now();
  const Answer answer = world.output({{"wait", 30}});
  EXPECT_GE(Clock::now() - begun, 30ms);
  EXPECT_TRUE(answer.text.contains("nothing more so far"));
  EXPECT_FALSE(answer.text.contains("\"wait\""));
}

TEST(JobTools, Ws47ThreeEmptyPollsInARowSpeakOfWait) {
  ShellWorld world;
  EXPECT_FALSE(world.output().text.contains("\"wait\""));
  EXPECT_FALSE(world.output().text.contains("\"wait\""));
  EXPECT_TRUE(world.output().text.contains("\"wait\""));
  world.job->log.add("x\n");
  world.output();
  EXPECT_FALSE(world.output().text.contains("\"wait\"")) << "in a row";
}

TEST(JobTools, Ws47AWaitIsCutWhereNobodyIsToldOfProgressAndThatIsSaid) {
  ShellWorld world;
  world.job->log.add("x\n");
  EXPECT_TRUE(world.output({{"wait", 600'000}}).text.contains("waits 45 s at most"));
  EXPECT_FALSE(world.output({{"wait", 45'000}, {"cursor", 0}}).text.contains("at most"));
  const Answer told = world.call({.tool = "bash_output",
                                  .arguments = world.with({{"wait", 600'000}, {"cursor", 0}}),
                                  .progress = [](const Progress&) {}});
  EXPECT_FALSE(told.text.contains("at most"));
}

TEST(JobTools, Ws7ACancelledWaitEndsAndLeavesTheJobAlone) {
  ShellWorld world;
  const auto cancellation = std::make_shared<Cancellation>();
  const auto answer =
      world.start(world.registry.call(world.session, {.tool = "bash_output",
                                                      .arguments = world.with({{"wait", 45'000}}),
                                                      .cancellation = cancellation}));
  world.poll();
  EXPECT_FALSE(answer->has_value());
  world.job->log.add("one\n");
  cancellation->request(1500ms);
  world.run_until(answer);
  EXPECT_TRUE(answer->has_value());
  EXPECT_FALSE(world.job->ended() || world.job->cancellation->requested());
  EXPECT_TRUE(world.output().text.contains("one")) << "nobody got it";
}

TEST(JobTools, Ws48TailShowsTheLastLinesAndMovesNoCursor) {
  ShellWorld world;
  for (int i = 0; i < 1000; ++i) world.job->log.add("line " + std::to_string(i) + "\n");
  const Answer tail = world.output({{"tail", 2}});
  EXPECT_TRUE(tail.text.contains("]\nline 998\nline 999\n")) << tail.text;
  EXPECT_FALSE(tail.text.contains("line 997\n"));
  EXPECT_EQ(fact(tail, "cursor"), 0);
  EXPECT_TRUE(world.output().text.contains("line 0\n")) << "it was not read before";
  EXPECT_TRUE(world.output({{"tail", 1}}).text.contains("]\nline 999\n")) << "and again";
}

TEST(JobTools, Ws48ATailIsBoundedToo) {
  ShellWorld world;
  for (int i = 0; i < 20; ++i) world.job->log.add(std::string(9999, '"') + '\n');
  const Answer tail = world.output({{"tail", 500}});
  EXPECT_LE(encoded_size(tail.text), 40'000U);
  world.job->log.add(std::string(100'000, 'x'));
  EXPECT_LE(world.output({{"tail", 1}}).text.size(), 31'000U);
}

TEST(JobTools, Ws49AnAnswerIsBoundedAndSaysThatThereIsMore) {
  ShellWorld world;
  for (int i = 0; i < 9000; ++i) world.job->log.add("\"\\\"\\\"\\\"\n");
  const Answer answer = world.output();
  EXPECT_LE(encoded_size(answer.text), 40'000U);
  EXPECT_EQ(fact(answer, "more"), true);
  EXPECT_TRUE(answer.text.contains("more to read: cursor")) << "WR-18";
}

TEST(JobTools, Wf6OnlyWhatWasStoppedIsCalledStopped) {
  World world;
  ASSERT_TRUE(world.registry.add(patient("build", closed_gate(world))));
  const auto gate = closed_gate(world);
  ASSERT_TRUE(world.registry.add(patient("second", gate)));
  ASSERT_TRUE(add_job_tools(world.registry));
  world.registry.wait = 1ms;
  const std::string stopped(find_text(world.call("build").meta.at("io.helve/job"), "id").value());
  const std::string done(find_text(world.call("second").meta.at("io.helve/job"), "id").value());
  gate->cancel();
  world.poll();
  world.call("job_stop", JsonObject{{"job", stopped}});
  for (int i = 0; i < 2; ++i) {
    SCOPED_TRACE("WS-50 as often as wanted");
    EXPECT_EQ(fact(world.call("job_output", JsonObject{{"job", done}}), "state"), "done")
        << "WS-49";
    const Answer again = world.call("job_output", JsonObject{{"job", done}, {"cursor", 0}});
    EXPECT_TRUE(again.text.contains("begun") && again.text.contains("the end"));
    EXPECT_EQ(fact(world.call("job_output", JsonObject{{"job", stopped}}), "state"), "stopped");
  }
}

TEST(JobTools, Ws53StopGivesTheNewOutputAndHowItEnded) {
  ShellWorld world;
  world.job->log.add("read before\n");
  world.output();
  world.job->log.add("not read\n");
  world.job->cancellation->on_request([&](Duration grace) {
    EXPECT_EQ(grace, 2s);
    world.state = "killed";
    world.job->log.add("its last words\n");
    world.job->end({});
  });
  const Answer answer = world.call("bash_stop", world.with({}));
  EXPECT_FALSE(answer.is_error);
  EXPECT_TRUE(answer.text.starts_with(world.job->id + " killed\nnot read\nits last words\n"))
      << answer.text;
  EXPECT_EQ(fact(answer, "state"), "killed") << "WS-55";
}

TEST(JobTools, Ws52WhatDoesNotDieOfKillIsNamed) {
  ShellWorld world;
  world.session->jobs().stop_grace = 0s;
  world.job->cancellation->on_request([](Duration grace) { EXPECT_EQ(grace, 0s); });
  world.job->left = [] { return std::vector<HeldProcess>{{4711, "dd"}, {4712, "cp"}}; };
  const auto begun = Clock::now();
  const Answer answer = world.call("bash_stop", world.with({}));
  EXPECT_GE(Clock::now() - begun, 1s);
  EXPECT_LT(Clock::now() - begun, 5s) << "1 s after KILL";
  EXPECT_FALSE(answer.is_error);
  EXPECT_TRUE(answer.text.contains("4711 (dd), 4712 (cp)")) << answer.text;
  EXPECT_EQ(write_json(fact(answer, "held")),
            R"([{"pid":4711,"name":"dd"},{"pid":4712,"name":"cp"}])");
  EXPECT_EQ(fact(answer, "state"), "running") << "it is not called stopped";
}

TEST(JobTools, Ws52TheGraceIsTheSessions) {
  ShellWorld world;
  world.session->jobs().stop_grace = 1234ms;
  Duration grace{0};
  world.job->cancellation->on_request([&](Duration asked) {
    grace = asked;
    world.job->end({});
  });
  world.call("bash_stop", world.with({}));
  EXPECT_EQ(grace, 1234ms);
}

TEST(JobTools, Ws53AStopShowsTheEndOfMuchThatWasNotReadAndTakesNothingAway) {
  ShellWorld world;
  world.job->log.add("read before\n");
  world.output();
  std::string unread;
  for (int i = 0; i < 5000; ++i) unread += "line " + std::to_string(i) + '\n';
  world.job->log.add(unread);
  world.state = "killed";
  world.job->end({});
  const Answer answer = world.call("bash_stop", world.with({}));
  EXPECT_TRUE(answer.text.ends_with("\nline 4998\nline 4999\n")) << answer.text;
  EXPECT_LT(answer.text.size(), 8500U);
  const size_t shown = unread.size() - (answer.text.size() - answer.text.find("\nline ") - 1);
  EXPECT_TRUE(answer.text.contains("the " + std::to_string(shown) + " bytes before them"))
      << answer.text.substr(0, 300);
  EXPECT_TRUE(answer.text.contains("cursor 12]")) << answer.text.substr(0, 300);
  EXPECT_EQ(fact(answer, "from"), 12 + static_cast<std::int64_t>(shown));
  EXPECT_EQ(fact(answer, "cursor"), 12);
  EXPECT_EQ(fact(answer, "more"), true);
  SCOPED_TRACE("WS-46 WR-7: each byte once over all polls");
  std::string all;
  for (bool more = true; more;) {
    const Answer page = world.output();
    const size_t from = page.text.find('\n') + 1;
    all += page.text.substr(from, page.text.rfind("\n[") + 1 - from);
    more = fact(page, "more") == true;
  }
  EXPECT_TRUE(all == unread);
  EXPECT_TRUE(world.call("bash_stop", world.with({})).text.contains("all read")) << "now it is";
}

TEST(JobTools, Ws53TheEndOfOneLongLineIsWholeCharacters) {
  ShellWorld world;
  std::string line;
  while (line.size() < 20'000) line += "\u2264";
  world.job->log.add(line);
  world.state = "killed";
  world.job->end({});
  const Answer answer = world.call("bash_stop", world.with({}));
  EXPECT_TRUE(answer.text.ends_with("\u2264\u2264"));
  EXPECT_LE(answer.text.size(), 8500U);
  EXPECT_EQ(fact(answer, "cursor"), 0);
}

TEST(JobTools, Ws53TwoStopsAtOnceGetTheSameAnswer) {
  ShellWorld world;
  world.job->log.add("output\n");
  const auto first = world.begin("bash_stop");
  const auto second = world.begin("bash_stop");
  world.state = "killed";
  world.job->end({});
  world.poll();
  ASSERT_TRUE(first->has_value() && second->has_value());
  EXPECT_EQ((*first)->text, (*second)->text);
  EXPECT_EQ((*first)->meta.at("io.helve/job").at("cursor"), 7);
}

TEST(JobTools, Ws53AStopOfAnEndedJobSaysSo) {
  ShellWorld world;
  world.state = "exited";
  world.job->end({});
  const Answer answer = world.call("bash_stop", world.with({}));
  EXPECT_FALSE(answer.is_error);
  EXPECT_TRUE(answer.text.contains("had already ended")) << answer.text;
  EXPECT_EQ(fact(answer, "state"), "exited") << "WS-49: not stopped";
}

TEST(JobTools, Ws57AForeignJobIsAnsweredLikeOneThatNeverWas) {
  ShellWorld world;
  const std::string mine = world.job->id;
  world.session = std::make_shared<Session>();
  for (const char* tool : {"bash_output", "bash_stop"}) {
    SCOPED_TRACE("WF-14");
    const Answer foreign = world.call(tool, JsonObject{{"job", mine}});
    Answer unknown = world.call(tool, JsonObject{{"job", "job_ffffffffffffffff"}});
    EXPECT_EQ(rule_of(foreign), "job.unknown");
    const size_t at = unknown.text.find("job_ffffffffffffffff");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(unknown.text.replace(at, mine.size(), mine), foreign.text);
  }
}

TEST(JobTools, Ws58TooManyNamesThoseThatRun) {
  ShellWorld world;
  ASSERT_TRUE(world.registry.add(patient("build", closed_gate(world))));
  world.session->jobs().most = 1;
  const Answer answer = world.call("build");
  EXPECT_EQ(rule_of(answer), "job.too_many");
  EXPECT_TRUE(answer.text.contains(world.job->id + " (" + world.job->title.substr(0, 60) + ", "))
      << answer.text;
  EXPECT_TRUE(answer.text.contains("bash_output")) << "as the tools are called here";
  const Json& running = answer.meta.at("io.helve/refusal").at("details").at("running");
  EXPECT_EQ(as_text(running.at(0).at("title")), world.job->title.substr(0, 60));
}

TEST(JobTools, Wf15EndedJobsAreForgottenOldestFirst) {
  ShellWorld world;
  world.session->jobs().most = 2;
  world.job->end({});
  const auto second = world.add_job("job_0000000000000002");
  second->end({});
  world.add_job("job_0000000000000003")->end({});
  EXPECT_EQ(world.session->jobs().all().size(), 2U);
  EXPECT_EQ(rule_of(world.output()), "job.expired") << "WS-59: not unknown";
  world.job = second;
  EXPECT_EQ(rule_of(world.output()), "");
}

TEST(JobTools, Ws59AnEndedJobIsKeptUntilItWasReadAndTenMinutesHavePassed) {
  ShellWorld world;
  Jobs& jobs = world.session->jobs();
  world.job->log.add("output\n");
  world.state = "exited";
  world.job->end({});
  jobs.forget_old(Clock::now() + 23h);
  EXPECT_NE(jobs.find(world.job->id), nullptr) << "nobody has read it";
  world.output();
  jobs.forget_old(Clock::now() + 9min);
  EXPECT_NE(jobs.find(world.job->id), nullptr);
  jobs.forget_old(Clock::now() + 11min);
  const Answer gone = world.output();
  EXPECT_EQ(rule_of(gone), "job.expired");
  EXPECT_TRUE(gone.text.contains(world.job->id + " exited")) << "with its status: " << gone.text;
  jobs.forget_old(Clock::now() + 25h);
  EXPECT_EQ(rule_of(world.output()), "job.unknown");
}

TEST(JobTools, Ws59NobodyReadsItForADay) {
  ShellWorld world;
  world.job->end({});
  world.session->jobs().forget_old(Clock::now() + 25h);
  EXPECT_EQ(rule_of(world.output()), "job.expired");
}

TEST(JobTools, WhoIsToldOfProgressHearsTheLastLine) {
  ShellWorld world;
  world.job->log.add("compiling a\n");
  world.output();
  std::vector<Progress> told;
  const auto answer = world.start(world.registry.call(
      world.session, {.tool = "bash_output",
                      .arguments = world.with({{"wait", 3'200}}),
                      .progress = [&](const Progress& progress) { told.push_back(progress); }}));
  world.run_until(answer);
  ASSERT_TRUE(answer->has_value());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().message, "compiling a");
  EXPECT_GT(told.front().done, 0);
}

}  // namespace
}  // namespace helve::tool
