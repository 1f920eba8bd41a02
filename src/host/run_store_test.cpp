#include "host/run_store.h"

#include <gtest/gtest.h>

#include <chrono>

#include "host/testing/folders.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

std::string run_id(int number) { return "run_000000000000000" + std::to_string(number); }

size_t kept(const fs::path& folder) {
  const fs::directory_iterator runs(folder);
  return static_cast<size_t>(std::distance(begin(runs), end(runs)));
}

// Runs 1 to `count`, each an hour younger than the one before, with a result of `bytes`.
void fill(const fs::path& folder, int count, size_t bytes) {
  for (int i = 1; i <= count; ++i) {
    RunStore store(folder, 1000);
    ASSERT_TRUE(store.open(run_id(i)));
    ASSERT_TRUE(store.finish(run_id(i), "{}", std::string(bytes, 'x')));
    fs::last_write_time(folder / run_id(i),
                        fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
  }
}

TEST(RunStore, GivesBackWhatItWasGiven) {
  const testing::Folders folders;
  RunStore store(folders.project() / "runs");
  ASSERT_TRUE(store.open(run_id(1)));
  ASSERT_TRUE(store.finish(run_id(1), R"({"status": "ok"})", "out"));
  EXPECT_EQ(store.report(run_id(1)).value_or(""), R"({"status": "ok"})");
  EXPECT_EQ(store.result(run_id(1)).value_or(""), "out");
}

TEST(RunStore, KnowsNothingOfOtherNames) {
  const testing::Folders folders;
  RunStore store(folders.project() / "runs");
  for (const char* id : {"run_00000000000000ff", "../helve.json", "run_/../x", ""}) {
    EXPECT_EQ(store.report(id).error().rule, "report.not_found") << id;
  }
}

TEST(RunStore, ForgetsTheOldestBeyondANumber) {
  const testing::Folders folders;
  const fs::path folder = folders.project() / "runs";
  fill(folder, 6, 10);
  RunStore store(folder, 4);
  ASSERT_TRUE(store.open(run_id(9)));
  EXPECT_EQ(kept(folder), 4U);
  EXPECT_FALSE(fs::exists(folder / run_id(1)));
  EXPECT_TRUE(fs::exists(folder / run_id(6)));
}

TEST(RunStore, ForgetsTheOldestBeyondASize) {
  const testing::Folders folders;
  const fs::path folder = folders.project() / "runs";
  fill(folder, 6, 1000);
  RunStore store(folder, 100, 2500);
  ASSERT_TRUE(store.open(run_id(9)));
  EXPECT_EQ(kept(folder), 3U);
  EXPECT_TRUE(fs::exists(folder / run_id(5)));
}

}  // namespace
}  // namespace helve::host
