// A configuration that changes under a running server.
#include "host/reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "host/testing/folders.h"

namespace helve::host {
namespace {

using namespace std::chrono_literals;
using testing::Folders;
using ::testing::HasSubstr;

// Each change is made when the one before has been heard of: as the names of the tools, or as what
// was said of the errors.
class Watched {
 public:
  explicit Watched(const Folders& folders, const Locations& locations = {})
      : reload_(std::make_unique<Reload>(
            loop_, locations, folders.around, console_,
            [this](const Config& config) {
              std::string names;
              for (const std::string_view name : config.tool_names()) names.append(name) += ' ';
              heard_.push_back(std::string(trim(names)));
            },
            os::WatchSettings{.settle = 10ms, .poll = 20ms})) {}

  // What is heard after `change`; "" if nothing is.
  std::string after(const std::function<void()>& change) {
    heard_.clear();
    err_.str("");
    loop_.context().restart();
    loop_.spawn([this, change]() -> boost::asio::awaitable<void> {
      change();
      for (int i = 0; i < (reload_ ? 300 : 30) && heard_.empty(); ++i) {
        if (err_.str().contains("still holds")) break;
        co_await os::Loop::sleep(10ms);
      }
      loop_.stop();
    });
    loop_.run();
    return heard_.empty() ? "kept: " + err_.str() : heard_.front();
  }

  void end() { reload_.reset(); }
  std::string err() const { return err_.str(); }

 private:
  os::Loop loop_;
  std::ostringstream out_, err_;
  Console console_{.out = out_, .err = err_};
  std::vector<std::string> heard_;
  std::unique_ptr<Reload> reload_;
};

TEST(Reload, FollowsEveryFileOfTheConfiguration) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x"}})");
  Watched watched(folders);
  const struct {
    const char *name, *file, *text, *want;
  } steps[] = {
      {"a tool more", "home/project/helve.json", R"({"tools": {"a": "x", "b": "y"}})", "a b"},
      {"a first recipe", "home/project/recipes/r.json", R"("echo r")", "a b r"},
      {"the user's file", "home/.config/helve/helve.json", R"({"tools": {"u": "z"}})", "a b r u"},
      {"fewer tools", "home/project/helve.json", "{}", "r u"},
  };
  for (const auto& step : steps) {
    SCOPED_TRACE(step.name);
    EXPECT_EQ(watched.after([&] { folders.write(step.file, step.text); }), step.want);
    EXPECT_THAT(watched.err(), HasSubstr("the configuration has changed: "));
  }
  EXPECT_EQ(watched.after([&] { std::filesystem::remove(folders.project() / "helve.json"); }), "u");
}

TEST(Reload, ABrokenEditKeepsWhatWasGoodAndSaysWhatIsWrong) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x"}})");
  Watched watched(folders);
  const std::string said = watched.after([&] {
    folders.write("home/project/helve.json", R"({"tools": {"a": "x", "b": ""},
 "polcy": {}})");
  });
  EXPECT_THAT(said, HasSubstr("kept: "));
  EXPECT_THAT(said, HasSubstr("helve.json:1:22: error: "));
  EXPECT_THAT(said, HasSubstr("helve.json:2:2: error: unknown field \"polcy\"; did you mean"));
  EXPECT_THAT(said, HasSubstr("what it said before still holds\n"));
  EXPECT_EQ(
      watched.after([&] { folders.write("home/project/helve.json", R"({"tools": {"c": "x"}})"); }),
      "c");
}

TEST(Reload, AProjectThatIsGoneKeepsItsTools) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x"}})");
  Watched watched(folders);
  const std::string said = watched.after(
      [&] { std::filesystem::rename(folders.project(), folders.top() / "elsewhere"); });
  EXPECT_THAT(said, HasSubstr("is not a folder"));
  EXPECT_EQ(watched.after(
                [&] { std::filesystem::rename(folders.top() / "elsewhere", folders.project()); }),
            "a");
}

TEST(Reload, WithANamedFileOnlyThatOneCounts) {
  const Folders folders;
  folders.write("other/my.json", R"({"tools": {"a": "x"}})");
  const auto spots = spots_of({.config = folders.top() / "other/my.json"}, folders.around);
  ASSERT_EQ(spots.size(), 2U);
  EXPECT_EQ(spots[0].folder / spots[0].name, folders.top() / "other/my.json");
  EXPECT_EQ(spots[1].folder / spots[1].name, folders.top() / "other/recipes/*.json");
  Watched watched(folders, {.config = folders.top() / "other/my.json"});
  EXPECT_EQ(watched.after([&] { folders.write("other/my.json", R"({"tools": {"b": "x"}})"); }),
            "b");
}

TEST(Reload, AFileThatAppearsNearerByMovesNothing) {
  Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x"}})");
  folders.write("home/project/sub/file", "");
  folders.around.cwd = folders.project() / "sub";
  Watched watched(folders);
  EXPECT_EQ(watched.after([&] {
    folders.write("home/project/sub/helve.json", R"({"tools": {"near": "x"}})");
    folders.write("home/project/helve.json", R"({"tools": {"b": "x"}})");
  }),
            "b");
}

TEST(Reload, TellsNothingAfterItsEnd) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x"}})");
  Watched watched(folders);
  watched.end();
  EXPECT_EQ(watched.after([&] { folders.write("home/project/helve.json", "{}"); }), "kept: ");
}

}  // namespace
}  // namespace helve::host
