// What a session is told once the read-only environment is another (WS-19).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/detail/tree.h"
#include "workspace/environment_reads.h"
#include "workspace/testing/desk.h"
#include "workspace/variables.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNews = "of what this session has read there this has changed: ";

Settings settings_of(const fs::path& environment) {
  Settings settings;
  settings.environment = EnvironmentFolder{.prefix = "/env", .folder = environment};
  settings.bash.shell = "/bin/bash";
  settings.bash.variables = command_variables({{"PATH", "/usr/bin:/bin"}}, {}, "false");
  return settings;
}

class EnvironmentNewsTest : public ::testing::Test {
 protected:
  EnvironmentNewsTest() : desk(settings_of(environment.path())) {
    HELVE_CHECK(desk.registry.add(read_tool(desk.workspace)));
    HELVE_CHECK(desk.registry.add(bash_tool(desk.workspace)));
    for (const char* name : {"a", "b", "c", "never read"}) put(name, "old\n");
  }
  ~EnvironmentNewsTest() override {
    detail::remove_tree(desk.workspace->settings.state / "environment");
  }

  void put(const std::string& name, std::string_view text) const {
    testing::put_bytes(environment.path() / name, text);
  }
  tool::Answer read(const std::string& name) {
    return desk.call(session, "read", JsonObject{{"path", "/env/" + name}});
  }
  tool::Answer bash() { return desk.call(session, "bash", JsonObject{{"command", "echo out"}}); }
  std::string revision() const {
    return desk.workspace->environment->revision().value_or("refused");
  }

  testing::TemporaryFolder environment;
  testing::Desk desk;
  std::shared_ptr<tool::Session> session = desk.session;
};

TEST_F(EnvironmentNewsTest, WS19ReadSaysOnceWhatChangedOfWhatWasRead) {
  for (const char* name : {"a", "b", "c"}) EXPECT_THAT(read(name).text, Not(HasSubstr(kNews)));
  put("a", "new\n");
  put("never read", "new\n");
  fs::remove(environment.path() / "b");
  const tool::Answer answer = read("c");
  EXPECT_THAT(testing::first_line(answer),
              HasSubstr("; the environment is at revision " + revision() + " now, and " + kNews +
                        "/env/a, /env/b (gone)"));
  EXPECT_EQ(answer.text.substr(answer.text.find('\n') + 1), "old\n");
  EXPECT_THAT(read("c").text, Not(HasSubstr(kNews)));
  EXPECT_THAT(bash().text, Not(HasSubstr(kNews)));
}

TEST_F(EnvironmentNewsTest, WS19BashSaysItInALineOfItsOwn) {
  bash();
  read("a");
  put("a", "new\n");
  EXPECT_THAT(bash().text, HasSubstr(std::string("\nthe environment is at revision ") + revision() +
                                     " now, and " + kNews + "/env/a\nout\n"));
  EXPECT_THAT(bash().text, Not(HasSubstr(kNews)));
  SCOPED_TRACE("what was said is not said again for another change, unless it changes again");
  read("b");
  put("b", "new\n");
  EXPECT_THAT(bash().text, HasSubstr(std::string(kNews) + "/env/b\n"));
  fs::remove(environment.path() / "a");
  EXPECT_THAT(bash().text, HasSubstr(std::string(kNews) + "/env/a (gone)\n"));
  put("a", "back\n");
  EXPECT_THAT(bash().text, HasSubstr(std::string(kNews) + "/env/a\n"));
}

TEST_F(EnvironmentNewsTest, WS19NothingIsSaidWhereNothingThatWasReadChanged) {
  read("a");
  put("never read", "new\n");
  put("a", "old\n");  // written anew, with the same bytes
  EXPECT_THAT(read("b").text, Not(HasSubstr(kNews)));
  EXPECT_EQ(session->record<EnvironmentReads>().revision, revision());
}

TEST_F(EnvironmentNewsTest, WS19FiveAreNamedAndTheOthersCounted) {
  for (int i = 0; i < 8; ++i) {
    put("file" + std::to_string(i), "old\n");
    read("file" + std::to_string(i));
  }
  for (int i = 0; i < 8; ++i) put("file" + std::to_string(i), "new\n");
  EXPECT_THAT(bash().text, HasSubstr("/env/file0, /env/file1, /env/file2, /env/file3, /env/file4 "
                                     "and 3 more\n"));
}

TEST_F(EnvironmentNewsTest, WS19AReadOfTheChangedItemShowsItAsItIs) {
  read("a");
  put("a", "new\n");
  EXPECT_THAT(read("a").text, HasSubstr(std::string(kNews) + "/env/a\nnew\n"));
  put("b", "new\n");
  EXPECT_THAT(bash().text, Not(HasSubstr(kNews)));
}

TEST_F(EnvironmentNewsTest, WS19ASessionThatDoesNotRememberIsToldNothing) {
  session = std::make_shared<tool::Session>(tool::Session::Memory::kShared, "token");
  read("a");
  put("a", "new\n");
  EXPECT_THAT(read("b").text, Not(HasSubstr(kNews)));
  EXPECT_THAT(bash().text, Not(HasSubstr(kNews)));
}

}  // namespace
}  // namespace helve::workspace
