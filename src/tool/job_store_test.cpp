#include "tool/job_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"
#include "base/texts.h"
#include "os/files.h"
#include "tool/detail/disk_log.h"
#include "tool/detail/job_record.h"
#include "tool/detail/job_text.h"
#include "tool/session.h"
#include "tool/testing/disk.h"

namespace helve::tool {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::run_on;
using testing::settle;
using testing::TemporaryFolder;

constexpr const char* kId = "job_00112233445566ff";
constexpr const char* kMark = "HELVE_JOB=0123456789abcdef";

// A folder of jobs, and the daemon that works with it now.
struct Desk {
  explicit Desk(fs::path at) : folder(std::move(at)) { begin(); }
  void begin() {
    store = std::make_shared<JobStore>(
        loop, folder, JobStore::Limits{.log = {.free_bytes = 0, .free_percent = 0}});
    session = std::make_shared<Session>();
    session->jobs().keep_in(store, session->id(), session->principal());
  }
  std::shared_ptr<Job> run_job(const std::string& said) {
    auto job = std::make_shared<Job>();
    job->id = kId;
    job->tool = "bash";
    job->title = "make all";
    job->mark = kMark;
    job->pid = ::getpid();
    job->cancellation = std::make_shared<Cancellation>();
    session->jobs().prepare(*job);
    job->log.add(said);
    session->jobs().add(job);
    settle(loop);
    return job;
  }
  Result<std::shared_ptr<Job>> reach(const std::string& id = kId) {
    return run_on(loop, session->jobs().reach(id));
  }
  std::string rule_of_reach() {
    const auto reached = reach();
    return reached ? "" : reached.error().rule;
  }
  std::vector<std::string> lost() { return run_on(loop, store->lost()); }

  // As after a kill: another process has this number now, or none.
  void change_record(const std::function<void(JobRecord&)>& change) {
    auto record = read_record(folder, kId);
    ASSERT_TRUE(record);
    change(*record);
    write_record(folder, *record);
  }
  void daemon_dies() {
    change_record([](JobRecord& record) { ++record.daemon.start; });
    begin();
  }

  os::Loop loop;
  const fs::path folder;
  std::shared_ptr<JobStore> store;
  std::shared_ptr<Session> session;
};

TEST(JobStore, Ws61AJobIsWrittenDownWhileItRuns) {
  const TemporaryFolder home;
  Desk desk(home.path / "state" / "jobs");
  desk.run_job("some output\n");
  const auto record = read_record(desk.folder, kId);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->mark, kMark);
  EXPECT_EQ(record->pid, ::getpid());
  EXPECT_EQ(record->pid_start, ProcessName::self().start);
  EXPECT_EQ(record->title, "make all");
  EXPECT_TRUE(record->daemon.lives());
  EXPECT_FALSE(record->ended());
  EXPECT_EQ(fs::status(desk.folder / (std::string(kId) + ".json")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(desk.folder).permissions(), fs::perms::owner_all);
}

TEST(JobStore, Wr13AJobOfADaemonThatWasKilledAnswersAsLostWithItsLastOutput) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("the first line\nthe last line\n");
  desk.daemon_dies();
  EXPECT_EQ(desk.lost(), std::vector<std::string>{kMark});
  EXPECT_TRUE(desk.lost().empty()) << "once";
  const auto job = desk.reach();
  ASSERT_TRUE(job) << "WS-61: it is never unknown";
  EXPECT_EQ(state_of(**job), "lost") << "WS-55";
  const Answer answer = run_on(desk.loop, page_answer(*job, (*job)->read, {}));
  EXPECT_NE(answer.text.find("lost"), std::string::npos);
  EXPECT_NE(answer.text.find("the last line\n"), std::string::npos) << answer.text;
  EXPECT_EQ(answer.meta.at("io.helve/job").at("state"), "lost");
}

TEST(JobStore, Ws61ItIsLostToWhoAsksBeforeAnybodyHasLooked) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n");
  desk.daemon_dies();
  const auto job = desk.reach();
  ASSERT_TRUE(job);
  EXPECT_EQ(state_of(**job), "lost");
}

TEST(JobStore, Ws61AnotherBootIsAnotherDaemon) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n");
  desk.change_record([](JobRecord& record) { record.daemon.boot = "another"; });
  desk.begin();
  EXPECT_EQ(desk.lost().size(), 1U);
}

TEST(JobStore, Ws61OfALongLogTheLastOutputIsShownAndAllOfItCanBeRead) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "line " + std::to_string(i) + '\n';
  desk.run_job(lines);
  desk.daemon_dies();
  const auto job = desk.reach();
  ASSERT_TRUE(job);
  EXPECT_EQ((*job)->log.end(), lines.size());
  const auto last = run_on(desk.loop, (*job)->log.fetch((*job)->read));
  EXPECT_TRUE(last.text.starts_with("line ")) << "whole lines";
  EXPECT_TRUE(last.text.ends_with("line 99999\n"));
  EXPECT_LE(last.text.size(), 8192U);
  std::string all;
  for (std::uint64_t cursor = 0; cursor < lines.size();) {
    const auto page = run_on(desk.loop, (*job)->log.fetch(cursor));
    ASSERT_GT(page.next, cursor);
    all += page.text;
    cursor = page.next;
  }
  EXPECT_TRUE(all == lines);
}

TEST(JobStore, Ws57AJobOfADaemonThatLivesIsUnknownElsewhere) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n");
  desk.begin();
  EXPECT_TRUE(desk.lost().empty());
  EXPECT_EQ(desk.rule_of_reach(), "job.unknown");
}

TEST(JobStore, AnEndedJobOfADaemonThatIsGoneHasItsStatus) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  const auto job = desk.run_job("output\n");
  job->status = [](const Job&) {
    return JobStatus{"exited with 3", {{"state", "exited"}, {"code", 3}}};
  };
  job->end({});
  settle(desk.loop);
  desk.daemon_dies();
  EXPECT_TRUE(desk.lost().empty());
  const auto found = desk.reach();
  ASSERT_TRUE(found);
  EXPECT_EQ(job_line(**found), "exited with 3");
  EXPECT_EQ(state_of(**found), "exited");
}

TEST(JobStore, Ws59WhatADaemonLeftGoesAfterADayAndIsKnownForAnother) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n")->end({});
  settle(desk.loop);
  desk.daemon_dies();
  const fs::path log = desk.folder / (std::string(kId) + ".log");
  desk.lost();
  EXPECT_TRUE(fs::exists(log));
  const auto age_by = [&](std::int64_t ms) {
    desk.change_record([&](JobRecord& record) { record.ended_ms -= ms; });
  };
  age_by(kKeptMs + 1000);
  desk.lost();
  EXPECT_FALSE(fs::exists(log));
  EXPECT_EQ(desk.rule_of_reach(), "job.expired");
  age_by(kKeptMs);
  desk.lost();
  EXPECT_EQ(desk.rule_of_reach(), "job.unknown");
  EXPECT_TRUE(fs::is_empty(desk.folder));
}

TEST(JobStore, Ws59WhatTheDaemonForgotHasNoLogAndIsExpiredForTheNextOne) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n")->end({});
  desk.session->jobs().forget_old(Clock::now() + 25h);
  settle(desk.loop);
  EXPECT_FALSE(fs::exists(desk.folder / (std::string(kId) + ".log")));
  EXPECT_EQ(desk.rule_of_reach(), "job.expired");
  desk.daemon_dies();
  EXPECT_EQ(desk.rule_of_reach(), "job.expired");
}

TEST(JobStore, LogsOfEndedJobsAreBoundedTogether) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job(std::string(1000, 'x'))->end({});
  settle(desk.loop);
  tidy_records(desk.folder, 1000);
  EXPECT_TRUE(fs::exists(desk.folder / (std::string(kId) + ".log")));
  tidy_records(desk.folder, 999);
  EXPECT_FALSE(fs::exists(desk.folder / (std::string(kId) + ".log")));
}

// What one says whose principal the store does not know, and so on.
std::shared_ptr<Session> of(const Desk& desk, const std::string& principal) {
  auto session = std::make_shared<Session>(Session::Memory::kOwn, principal);
  session->jobs().keep_in(desk.store, session->id(), session->principal());
  return session;
}

TEST(JobStore, Ws57AJobOfAnotherPrincipalIsUnknown) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.session = of(desk, "alice");
  desk.run_job("output\n");
  desk.daemon_dies();
  struct Asking {
    const char *name, *principal, *rule;
  };
  constexpr Asking kAsking[] = {
      {"another principal", "bob", "job.unknown"},
      {"the same one, in another session", "alice", ""},
      {"the person at this machine, who may read the files", "", ""},
  };
  for (const Asking& asking : kAsking) {
    SCOPED_TRACE(asking.name);
    desk.session = of(desk, asking.principal);
    EXPECT_EQ(desk.rule_of_reach(), asking.rule);
  }
}

TEST(JobStore, Ws57WhatAPersonAtThisMachineRanIsUnknownToOthers) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job("output\n");
  desk.daemon_dies();
  desk.session = of(desk, "token");
  EXPECT_EQ(desk.rule_of_reach(), "job.unknown");
}

TEST(JobStore, Ws61WhoIsToldOfAJobFindsItOnTheDisk) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  auto job = std::make_shared<Job>();
  job->id = kId;
  job->tool = "bash";
  job->mark = kMark;
  job->cancellation = std::make_shared<Cancellation>();
  desk.session->jobs().prepare(*job);
  job->log.add("said so far\n");
  bool recorded = false;
  std::string logged;
  desk.loop.spawn([&]() -> boost::asio::awaitable<void> {
    desk.session->jobs().add(job);
    co_await desk.session->jobs().settle(job);
    recorded = read_record(desk.folder, kId).has_value();
    logged = os::read_file(desk.folder / (std::string(kId) + ".log"), 1000).value_or("none");
  });
  settle(desk.loop);
  EXPECT_TRUE(recorded);
  EXPECT_EQ(logged, "said so far\n");
}

TEST(JobStore, Ws61ACommandThatNothingTellsOfIsFoundByTheMarksOfItsDaemon) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  const std::string marks = "HELVE_JOB=0123456789abcdef.1-";
  desk.store->note_daemon(marks);
  EXPECT_TRUE(desk.lost().empty()) << "it lives";
  const auto file = fs::directory_iterator(desk.folder)->path();
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  std::string bytes = os::read_file(file, 1000).value();
  const std::string start = "\"daemon_start\":" + std::to_string(ProcessName::self().start);
  bytes.replace(bytes.find(start), start.size(), "\"daemon_start\":7");  // as after a kill
  std::ofstream(file, std::ios::trunc) << bytes;
  EXPECT_EQ(desk.lost(), std::vector<std::string>{marks});
  EXPECT_TRUE(desk.lost().empty()) << "once";
  EXPECT_TRUE(fs::is_empty(desk.folder));
}

TEST(JobStore, Ws61ADaemonThatEndsLeavesNoMarks) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.store->note_daemon("HELVE_JOB=0123456789abcdef.1-");
  EXPECT_FALSE(fs::is_empty(desk.folder));
  desk.store->forget_daemon();
  EXPECT_TRUE(fs::is_empty(desk.folder));
  for (const char* text : {"", "[]", "{}", "{", "{\"marks\": 5}"}) {
    SCOPED_TRACE(text);
    std::ofstream(desk.folder / "daemon-1-2.mark") << text;
    EXPECT_TRUE(desk.lost().empty());
    EXPECT_TRUE(fs::is_empty(desk.folder));
  }
}

std::string text_of_reach(Desk& desk) {
  const auto reached = desk.reach();
  return reached ? "" : render_text(reached.error());
}

TEST(JobStore, Ws59AnExpiredJobNamesItsSpillWhileItIsThere) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  const fs::path file = home.path / "spill.txt";
  const std::string path = ".helve/results/c1.txt";
  for (const bool lost : {false, true}) {
    SCOPED_TRACE(lost);
    std::ofstream(file) << "all of it";
    const auto job = desk.run_job("output\n");
    job->spill = {.path = path, .file = file};
    desk.session->jobs().update(*job);
    job->end({});
    desk.session->jobs().forget_old(Clock::now() + 25h);
    settle(desk.loop);
    if (lost) desk.daemon_dies();
    EXPECT_EQ(desk.rule_of_reach(), "job.expired");
    EXPECT_TRUE(text_of_reach(desk).contains(path)) << text_of_reach(desk);
    fs::remove(file);
    EXPECT_FALSE(text_of_reach(desk).contains(path)) << text_of_reach(desk);
    desk.begin();
  }
}

std::string names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder)) names.push_back(file.path().filename());
  std::ranges::sort(names);
  return join(names, " ");
}

// A call that was answered as a whole: nobody knows its name.
TEST(JobStore, TheLogOfWhatNeverBecameAJobGoesWithIt) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  auto call = std::make_shared<Job>();
  call->id = kId;
  desk.session->jobs().prepare(*call);
  call->log.add(std::string(1 << 20, 'x'));
  settle(desk.loop);
  EXPECT_EQ(names_in(desk.folder), std::string(kId) + ".log");
  call.reset();
  settle(desk.loop);
  EXPECT_EQ(names_in(desk.folder), "");
}

TEST(JobStore, ItGoesAlsoWhereTheLoopHasEnded) {
  const TemporaryFolder home;
  {
    Desk desk(home.path / "jobs");
    Job call;
    call.id = kId;
    desk.session->jobs().prepare(call);
    call.log.add(std::string(1 << 20, 'x'));
    settle(desk.loop);
  }
  EXPECT_EQ(names_in(home.path / "jobs"), "");
}

TEST(JobStore, WhatCallsOfAKilledServerWroteIsRemoved) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  desk.run_job(std::string(1 << 20, 'x'));
  const std::string kept = names_in(desk.folder);
  const std::string other = "job_ffeeddccbbaa9988";
  for (const std::string& name : {other + ".log", other + ".ring", "." + other + ".01234567"}) {
    std::ofstream(desk.folder / name) << "x";
  }
  desk.lost();
  EXPECT_NE(names_in(desk.folder), kept) << "a call may be under way";
  for (const auto& file : fs::directory_iterator(desk.folder)) {
    fs::last_write_time(file.path(), fs::file_time_type::clock::now() - 2h);
  }
  desk.lost();
  EXPECT_EQ(names_in(desk.folder), kept);
}

TEST(JobStore, Ws56OnlyAHandleIsLookedFor) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  for (const char* id : {"", "job_", "../../etc/passwd", "job_00112233445566fg",
                         "job_00112233445566FF", "job_../../x/y/z/0000", "job_00112233445566ff0"}) {
    EXPECT_FALSE(is_job_id(id)) << id;
    EXPECT_EQ(desk.reach(id).error().rule, "job.unknown") << id;
  }
}

TEST(JobStore, ARecordThatIsNoneIsUnknown) {
  const TemporaryFolder home;
  Desk desk(home.path / "jobs");
  fs::create_directories(desk.folder);
  for (const char* text :
       {"", "[]", "{}", "{\"id\":5}", "{\"id\":\"job_0000000000000000\"}", "{"}) {
    std::ofstream(desk.folder / (std::string(kId) + ".json"), std::ios::trunc) << text;
    EXPECT_TRUE(desk.lost().empty());
    EXPECT_EQ(desk.rule_of_reach(), "job.unknown") << text;
  }
}

}  // namespace
}  // namespace helve::tool
