// Several sessions, and programs that know no lock, on one file.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "workspace/detail/file_change.h"
#include "workspace/knowledge.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

using testing::Desk;
using testing::rule_of;
using testing::Started;

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "line " + std::to_string(100 + i) + " old\n";
  return out;
}

std::string line(int i, const std::string& what) {
  return "line " + std::to_string(100 + i) + ' ' + what + '\n';
}

TEST(EditSessions, WF35WS90TwentyEditsAtOnceAllSurvive) {
  Desk desk;
  std::vector<std::shared_ptr<tool::Session>> sessions;
  for (int i = 0; i < 5; ++i) sessions.push_back(std::make_shared<tool::Session>());
  for (int round = 0; round < 5; ++round) {
    desk.put("f", lines(20));
    std::vector<Started> started;
    for (int i = 0; i < 20; ++i) {
      started.push_back(desk.start(sessions[static_cast<std::size_t>(i) % 5], "edit",
                                   Desk::edit_arguments("f", line(i, "old"), line(i, "new"))));
    }
    desk.finish(started);
    for (const Started& one : started) EXPECT_FALSE((*one)->is_error) << (*one)->text;
    std::string want;
    for (int i = 0; i < 20; ++i) want += line(i, "new");
    EXPECT_EQ(desk.bytes("f"), want);
  }
}

TEST(EditSessions, WS90OfTwoOnTheSameLineOneIsTold) {
  Desk desk;
  desk.put("f", "one\n");
  const auto a = std::make_shared<tool::Session>(), b = std::make_shared<tool::Session>();
  for (const auto& session : {a, b}) {
    session->record<Knowledge>().saw(
        desk.path("f"), {.version = version_of("one\n"), .whole = true, .bytes = "one\n"});
  }
  const Started first = desk.start(a, "edit", Desk::edit_arguments("f", "one", "of a"));
  const Started second = desk.start(b, "edit", Desk::edit_arguments("f", "one", "of b"));
  desk.finish({first, second});
  EXPECT_NE((*first)->is_error, (*second)->is_error);
  const tool::Answer& refused = (*first)->is_error ? **first : **second;
  EXPECT_EQ(rule_of(refused), "file.changed");
  EXPECT_TRUE(refused.text.contains("-one\n+of ")) << refused.text;
  EXPECT_EQ(desk.bytes("f"), (*first)->is_error ? "of b\n" : "of a\n");
}

TEST(EditSessions, WS90WhoHasNotReadItIsToldThatItDoesNotMatch) {
  Desk desk;
  desk.put("f", "one\n");
  const Started first = desk.start(std::make_shared<tool::Session>(), "edit",
                                   Desk::edit_arguments("f", "one", "of a"));
  const Started second = desk.start(std::make_shared<tool::Session>(), "edit",
                                    Desk::edit_arguments("f", "one", "of b"));
  desk.finish({first, second});
  EXPECT_NE((*first)->is_error, (*second)->is_error);
  EXPECT_EQ(rule_of((*first)->is_error ? **first : **second), "edit.no_match");
}

TEST(EditSessions, WS92CallsOfOneSessionOnOneFileKeepTheirOrder) {
  Desk desk;
  for (int round = 0; round < 10; ++round) {
    std::vector<Started> started;
    for (int i = 0; i < 8; ++i) {
      started.push_back(desk.start(
          desk.session, "write",
          JsonObject{{"path", "f"}, {"text", std::to_string(i) + '\n'}, {"version", "any"}}));
    }
    desk.finish(started);
    EXPECT_EQ(desk.bytes("f"), "7\n");
  }
}

TEST(EditSessions, WS92AReadSeesWhatTheSessionHasAskedToWriteBefore) {
  Desk desk;
  ASSERT_TRUE(desk.registry.add(read_tool(desk.workspace)));
  for (int round = 0; round < 50; ++round) {
    const std::string body = std::to_string(round) + '\n';
    const auto write = desk.start(desk.session, "write", JsonObject{{"path", "f"}, {"text", body}});
    const auto read = desk.start(desk.session, "read", JsonObject{{"path", "./f"}});
    desk.finish({write, read});
    EXPECT_FALSE((*write)->is_error) << (*write)->text;
    EXPECT_TRUE((*read)->text.ends_with('\n' + body)) << (*read)->text;
  }
}

TEST(EditSessions, WS92DifferentFilesAreChangedSideBySide) {
  Desk desk;
  desk.put("f", "one\n");
  desk.put("g", "one\n");
  std::optional<std::shared_ptr<Locks::Held>> held;
  desk.loop.spawn([&]() -> boost::asio::awaitable<void> {
    auto lock = co_await desk.workspace->locks.lock(desk.path("f"), "f");
    HELVE_CHECK(lock);
    held = *lock;
  });
  while (!held) HELVE_CHECK(desk.loop.context().run_one() > 0);
  const Started waits = desk.start(desk.session, "edit", Desk::edit_arguments("f", "one", "two"));
  EXPECT_FALSE(desk.edit("g", "one", "two").is_error);
  EXPECT_FALSE(waits->has_value());
  held.reset();
  desk.finish({waits});
  EXPECT_FALSE((*waits)->is_error) << (*waits)->text;
}

// Another program replaces the file all the time, as one that knows no lock.
TEST(EditSessions, WS91AnEditIsMadeOnWhatIsThereOrNotAtAll) {
  Desk desk;
  desk.put("f", "base\nother 0\n");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    for (int i = 1; !stop; ++i) {
      testing::put_bytes(desk.path("f.tmp"), "base\nother " + std::to_string(i) + '\n');
      std::filesystem::rename(desk.path("f.tmp"), desk.path("f"));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  int made = 0, told = 0;
  for (int i = 0; i < 200; ++i) {
    const auto answer = desk.edit("f", "base\nother", "ours\nbase\nother");
    made += answer.is_error ? 0 : 1;
    told += rule_of(answer) == "file.changed" ? 1 : 0;
    const std::string bytes = desk.bytes("f");
    EXPECT_TRUE(bytes.contains("base\nother ") && bytes.ends_with('\n')) << "never half: " << bytes;
  }
  stop = true;
  other.join();
  EXPECT_EQ(made + told, 200);
  EXPECT_FALSE(desk.edit("f", "base\nother", "ours\nbase\nother").is_error);
}

// Runs `work` as write and edit do, with a program that changes the file under it so many times.
Result<tool::Answer> change_under(Desk& desk, int times, int& attempts) {
  tool::Call call{.tool = "edit",
                  .arguments = Desk::edit_arguments("f", "one", "two"),
                  .session = *desk.session,
                  .cancellation = std::make_shared<tool::Cancellation>()};
  std::optional<Result<tool::Answer>> out;
  desk.loop.spawn([&]() -> boost::asio::awaitable<void> {
    out = co_await change_file(desk.workspace, call, false,
                               [&](FileChange& change) -> Result<tool::Answer> {
                                 ++attempts;
                                 if (attempts <= times) desk.put("f", "by another\n");
                                 const std::string_view pieces[] = {"ours\n"};
                                 const auto replaced = change.replace(pieces);
                                 if (!replaced) return std::unexpected(replaced.error());
                                 return tool::Answer{};
                               });
  });
  while (!out) HELVE_CHECK(desk.loop.context().run_one() > 0);
  return *out;
}

TEST(EditSessions, WS91IsDoneAgainOnceIfTheFileChangesMeanwhile) {
  Desk desk;
  desk.put("f", "one\n");
  int attempts = 0;
  EXPECT_TRUE(change_under(desk, 1, attempts));
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(desk.bytes("f"), "ours\n");
}

TEST(EditSessions, WS91IsRefusedIfItChangesAgain) {
  Desk desk;
  desk.put("f", "one\n");
  int attempts = 0;
  const auto refused = change_under(desk, 2, attempts);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "file.changed");
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(desk.bytes("f"), "by another\n");
}

}  // namespace
}  // namespace helve::workspace
