// What is written down of calls (WS-93).
#include "host/call_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/json.h"
#include "base/refusal.h"
#include "host/testing/folders.h"

namespace helve::host {
namespace {

using testing::Folders;

std::vector<Json> lines_of(const std::filesystem::path& file) {
  std::vector<Json> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(parse_json(line).value());
  return lines;
}

tool::CallRecord record(std::string subject, std::string outcome) {
  return {.session = "session_1",
          .tool = "read",
          .subject = std::move(subject),
          .outcome = std::move(outcome),
          .bytes = 7,
          .took = std::chrono::milliseconds(3)};
}

TEST(CallLog, HasALineForEachCallAndTheCountersAtTheEnd) {
  SCOPED_TRACE("WS-93");
  const Folders folders;
  const auto folder = folders.around.cwd / "state";
  os::Loop loop;
  {
    CallLog log(loop, folder);
    log.add(record("a.txt", "ok"));
    log.add(record("b\n" + std::string(500, 'x'), "file.not_found"));
    loop.run();
    loop.context().restart();
    log.add(record("c", "ok"));
    loop.run();
  }
  const auto lines = lines_of(folder / "calls.jsonl");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].at("subject"), "a.txt");
  EXPECT_EQ(lines[0].at("ms"), 3);
  EXPECT_EQ(lines[1].at("outcome"), "file.not_found");
  EXPECT_EQ(as_text(lines[1].at("subject")).size(), 200U);
  EXPECT_EQ(lines[3].at("calls"), 3);
  EXPECT_EQ(lines[3].at("outcomes").at("ok"), 2);
  struct stat facts{};
  ASSERT_EQ(::stat((folder / "calls.jsonl").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST(CallLog, IsBounded) {
  const Folders folders;
  const auto folder = folders.around.cwd / "state";
  os::Loop loop;
  CallLog log(loop, folder, 1000);
  for (int i = 0; i < 100; ++i) {
    log.add(record("a", "ok"));
    loop.run();
    loop.context().restart();
  }
  EXPECT_LT(std::filesystem::file_size(folder / "calls.jsonl"), 1400U);
  EXPECT_LT(std::filesystem::file_size(folder / "calls.1.jsonl"), 1400U);
}

}  // namespace
}  // namespace helve::host
