#include "tool/jobs.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "tool/job_tools.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;
using testing::closed_gate;
using testing::patient;
using testing::rule_of;
using testing::World;

// A world with one job that has outlived its wait.
struct JobWorld : World {
  JobWorld() {
    HELVE_CHECK(registry.add(patient("build", gate)));
    HELVE_CHECK(add_job_tools(registry));
    registry.wait = 1ms;
    handle = call("build");
    job = std::string(find_text(handle.meta.at("io.helve/job"), "id").value());
  }
  Answer output(JsonObject more = {}) {
    JsonObject arguments{{"job", job}, {"wait", 0}};
    for (auto& member : more) arguments[member.key()] = member.value();
    return call("job_output", arguments);
  }
  void finish() {
    gate->cancel();
    poll();
  }

  std::shared_ptr<boost::asio::steady_timer> gate = closed_gate(*this);
  Answer handle;
  std::string job;
};

TEST(Jobs, R6ACallThatOutlivesItsWaitAnswersWithAHandleAndWhatWasSaid) {
  const JobWorld world;
  EXPECT_FALSE(world.handle.is_error);
  EXPECT_TRUE(world.job.starts_with("job_")) << world.job;
  EXPECT_EQ(world.job.size(), 20U);
  EXPECT_TRUE(world.handle.text.contains(world.job)) << world.handle.text;
  EXPECT_TRUE(world.handle.text.contains("45 s")) << world.handle.text;
  EXPECT_TRUE(world.handle.text.contains("[1/2] begun")) << world.handle.text;
}

TEST(Jobs, WhoIsToldOfProgressWaitsToTheEnd) {
  World world;
  const auto gate = closed_gate(world);
  ASSERT_TRUE(world.registry.add(patient("build", gate)));
  world.registry.wait = 1ms;
  int told = 0;
  const auto answer = world.start(world.registry.call(
      world.session, {.tool = "build", .progress = [&](const Progress&) { ++told; }}));
  world.context.restart();
  world.context.run_for(20ms);
  EXPECT_FALSE(answer->has_value());
  gate->cancel();
  world.poll();
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->text, "the end");
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(world.session->jobs().all().empty());
}

TEST(Jobs, AreReadByCursorsUntilTheEnd) {
  JobWorld world;
  EXPECT_TRUE(world.output().text.contains("nothing more so far"));
  EXPECT_TRUE(world.output({{"cursor", 0}}).text.contains("begun")) << "an older cursor again";
  world.finish();
  const Answer last = world.output();
  EXPECT_TRUE(last.text.contains("done after")) << last.text;
  EXPECT_TRUE(last.text.contains("the end")) << last.text;
  EXPECT_TRUE(last.text.contains("all read")) << last.text;
  EXPECT_FALSE(last.text.contains("begun")) << "it was read before";
  EXPECT_EQ(*find_text(last.meta.at("io.helve/job"), "state"), "done");
  EXPECT_FALSE(last.is_error);
}

TEST(Jobs, WhatACancelledReadWouldHaveSaidIsReadByTheNext) {
  JobWorld world;
  world.output();
  const auto cancelled = std::make_shared<Cancellation>();
  const auto answer = world.start(world.registry.call(
      world.session, {.tool = "job_output",
                      .arguments = JsonObject{{"job", world.job}, {"wait", 45000}},
                      .cancellation = cancelled}));
  EXPECT_FALSE(answer->has_value());
  world.session->jobs().find(world.job)->log.add("said meanwhile\n");
  cancelled->request(0ms);
  world.poll();
  EXPECT_TRUE(answer->has_value());
  world.finish();
  EXPECT_TRUE(world.output().text.contains("said meanwhile"));
}

TEST(Jobs, OutputWaitsForTheEndNoLongerThanAsked) {
  JobWorld world;
  const auto answer = world.start(world.registry.call(
      world.session,
      {.tool = "job_output", .arguments = JsonObject{{"job", world.job}, {"wait", 45000}}}));
  EXPECT_FALSE(answer->has_value());
  world.finish();
  ASSERT_TRUE(answer->has_value());
  EXPECT_TRUE((*answer)->text.contains("the end"));
}

TEST(Jobs, StopEndsTheJobAndTellsHowItEnded) {
  JobWorld world;
  const Answer stopped = world.call("job_stop", JsonObject{{"job", world.job}});
  EXPECT_FALSE(stopped.is_error);
  EXPECT_TRUE(stopped.text.contains("stopped after")) << stopped.text;
  EXPECT_TRUE(stopped.text.contains("stopped")) << stopped.text;
  EXPECT_FALSE(world.call("job_stop", JsonObject{{"job", world.job}}).is_error) << "twice";
}

TEST(Jobs, ListShowsThoseOfTheSessionAlone) {
  JobWorld world;
  EXPECT_TRUE(world.call("job_list").text.contains(world.job + " build: running"));
  const auto mine = std::exchange(world.session, std::make_shared<Session>());
  EXPECT_EQ(world.call("job_list").text, "no jobs");
  for (const char* tool : {"job_output", "job_stop"}) {
    const Answer foreign = world.call(tool, JsonObject{{"job", world.job}});
    const Answer unknown = world.call(tool, JsonObject{{"job", "job_0000000000000000"}});
    EXPECT_EQ(rule_of(foreign), "job.unknown");
    EXPECT_EQ(rule_of(unknown), "job.unknown");
  }
}

TEST(Jobs, TheEndOfTheSessionEndsThemUnlessTheyAreDetached) {
  JobWorld world;
  Tool detached = patient("daemon", closed_gate(world));
  detached.detach = true;
  ASSERT_TRUE(world.registry.add(std::move(detached)));
  world.call("daemon");
  EXPECT_EQ(world.session->open_calls(), 2U);
  world.session->end(500ms);
  world.poll();
  EXPECT_EQ(world.session->open_calls(), 1U);
  world.session->end(500ms, true);
  world.poll();
  EXPECT_EQ(world.session->open_calls(), 0U);
}

TEST(Jobs, CancellingTheCallEndsTheToolWhileItWaitsAndNotLater) {
  World world;
  ASSERT_TRUE(world.registry.add(patient("build", closed_gate(world))));
  const auto cancellation = std::make_shared<Cancellation>();
  const auto answer = world.start(
      world.registry.call(world.session, {.tool = "build", .cancellation = cancellation}));
  cancellation->request(1500ms);
  world.poll();
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->text, "stopped");

  world.registry.wait = 1ms;
  ASSERT_TRUE(world.registry.add(patient("second", closed_gate(world))));
  const auto late = std::make_shared<Cancellation>();
  world.call({.tool = "second", .cancellation = late});
  late->request(1500ms);
  world.poll();
  EXPECT_EQ(world.session->jobs().running(), 1U) << "the job is the session's now";
}

TEST(Jobs, HaveALimitThatIsSaid) {
  JobWorld world;
  world.session->jobs().most = 1;
  EXPECT_EQ(rule_of(world.call("build")), "job.too_many");
  world.finish();
  EXPECT_NE(rule_of(world.call("build")), "job.too_many") << "an ended one takes no place";
}

TEST(Jobs, AToolThatThrowsEndsItsJobAlone) {
  JobWorld world;
  Tool thrower = patient("thrower", world.gate);
  thrower.run = [gate = world.gate](Call&) -> boost::asio::awaitable<Result<Answer>> {
    boost::system::error_code error;
    co_await gate->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
    throw std::runtime_error("out of something");
  };
  ASSERT_TRUE(world.registry.add(std::move(thrower)));
  const Answer handle = world.call("thrower");
  world.job = std::string(find_text(handle.meta.at("io.helve/job"), "id").value());
  world.finish();
  EXPECT_TRUE(world.output().text.contains("out of something"));
}

struct LogCase {
  const char* name;
  std::string text;
  std::uint64_t cursor;
  size_t budget;
  std::string page;
  std::uint64_t next;
};

TEST(JobLog, PagesAreWholeCharactersWithinTheBudget) {
  const LogCase cases[] = {
      {"all of it", "abc", 0, 100, "abc", 3},
      {"from a cursor", "abc", 1, 100, "bc", 3},
      {"a cursor behind the end", "abc", 99, 100, "", 3},
      {"no room", "abc", 0, 2, "ab", 2},
      {"R4 escapes count as they are encoded", "\n\n\n", 0, 4, "\n\n", 2},
      {"a character is never cut", "a\xC3\xA4", 0, 1, "a", 1},
      {"a cursor inside a character moves behind it", "\xC3\xA4z", 1, 9, "z", 3},
      {"bytes that are no text", "\xFF", 0, 9, "\xEF\xBF\xBD", 3},
  };
  for (const LogCase& c : cases) {
    SCOPED_TRACE(c.name);
    JobLog log;
    log.add(c.text);
    const auto page = log.read(c.cursor, c.budget);
    EXPECT_EQ(page.text, c.page);
    EXPECT_EQ(page.next, c.next);
    EXPECT_EQ(page.skipped, 0U);
  }
}

TEST(JobLog, Ws34ForgetsItsMiddleAndSaysHowMuch) {
  JobLog log;
  for (int i = 0; i < 3; ++i) log.add(std::string(500'000, static_cast<char>('a' + i)));
  EXPECT_EQ(log.end(), 1'500'000U);
  EXPECT_EQ(log.read(0, 10).text, "aaaaaaaaaa") << "the head stays";
  const auto page = log.read(JobLog::kHead, 10);
  EXPECT_EQ(page.skipped, 1'500'000U - JobLog::kHead - JobLog::kTail);
  EXPECT_EQ(page.text, "cccccccccc");
  EXPECT_EQ(page.next, page.from + 10);
  EXPECT_EQ(log.read(log.end() - 1, 10).text, "c");
}

}  // namespace
}  // namespace helve::tool
