// The tool `read` as hosts call it: what its header says, what it remembers, what it refuses.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "base/encoded.h"
#include "base/texts.h"
#include "tool/definitions.h"
#include "workspace/environment_reads.h"
#include "workspace/knowledge.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::fact;
using testing::first_line;
using testing::rule_of;
using tool::Answer;

struct Reading : testing::Desk {
  explicit Reading(Settings settings = {}) : Desk(std::move(settings)) {
    HELVE_CHECK(registry.add(read_tool(workspace)));
  }
  Answer read(const std::string& path, JsonObject more = {}) {
    more["path"] = path;
    return call("read", std::move(more));
  }
};

std::string body(const Answer& answer) {
  const std::size_t end = answer.text.find('\n');
  return end == std::string::npos ? "" : answer.text.substr(end + 1);
}

std::string lines(int count, const std::string& text = "line ") {
  std::string out;
  for (int i = 1; i <= count; ++i) out += text + std::to_string(i) + '\n';
  return out;
}

struct HeaderCase {
  const char* name;
  std::string bytes, want;  // without the path and the version
};
const HeaderCase kHeaders[] = {
    {"WS-69 WF-27 an empty file", "", "empty, 0 lines"},
    {"WS-73 lines and total", "a\nb\n", "lines 1 to 2 of 2"},
    {"WS-70 no newline at end", "a", "lines 1 to 1 of 1, no newline at end"},
    {"WS-70 WF-29 CRLF", "a\r\n", "lines 1 to 1 of 1, CRLF"},
    {"WS-70 mixed line ends", "a\r\nb\n", "lines 1 to 2 of 2, mixed line ends"},
    {"WS-70 BOM",
     "\xEF\xBB\xBF"
     "a\n",
     "lines 1 to 1 of 1, BOM"},
    {"WS-67 UTF-16",
     "\xFF\xFE"
     "a\0\n\0"s,
     "lines 1 to 1 of 1, UTF-16LE, BOM"},
    {"WS-67 lossy",
     "ab\xE9"
     "def\n",
     "lines 1 to 1 of 1, invalid bytes shown as U+FFFD"},
};

TEST(Read, SaysInTheHeaderWhatTheLinesDoNotShow) {
  Reading desk;
  for (const HeaderCase& c : kHeaders) {
    SCOPED_TRACE(c.name);
    desk.put("file.txt", c.bytes);
    const Answer answer = desk.read("file.txt");
    std::string header = first_line(answer);
    const std::string version = ", version " + version_of(c.bytes);
    ASSERT_NE(header.find(version), std::string::npos) << header;
    header.erase(header.find(version), version.size());
    EXPECT_EQ(header, "file.txt: " + c.want);
    EXPECT_EQ(fact(answer, "version"), Json(version_of(c.bytes)));
    EXPECT_EQ(fact(answer, "bytes").to_number<std::size_t>(), c.bytes.size());
    EXPECT_FALSE(answer.structured);
  }
}

TEST(Read, Ws73TheNextCallOfEachPageLeadsToTheEnd) {
  SCOPED_TRACE("WS-73 WS-74 WF-28 WR-18");
  Reading desk;
  const std::string text = lines(1'000) + std::string(50'000, 'x') + '\n' + lines(3);
  desk.put("a \"file\".txt", text);
  std::string shown;
  JsonObject arguments{{"path", "a \"file\".txt"}};
  for (int pages = 1;; ++pages) {
    ASSERT_LT(pages, 20);
    const Answer answer = desk.call("read", arguments);
    ASSERT_FALSE(answer.is_error) << answer.text;
    shown += body(answer);
    const std::string header = first_line(answer);
    const std::size_t more = header.find("more: read ");
    EXPECT_EQ(more != std::string::npos, fact(answer, "more").as_bool());
    if (more == std::string::npos) break;
    const auto next = parse_json(header.substr(more + 11));
    ASSERT_TRUE(next) << header;
    EXPECT_EQ(write_json(fact(answer, "next")), write_json(*next));
    arguments = next->as_object();
  }
  EXPECT_EQ(shown, text);
}

TEST(Read, Ws71AnswersWithTheUsualNumberOfLines) {
  SCOPED_TRACE("WS-71");
  Reading desk;
  desk.put("file.txt", lines(2'000));
  const Answer answer = desk.read("file.txt");
  EXPECT_EQ(body(answer), lines(400));
  EXPECT_EQ(fact(answer, "first"), Json(1));
  EXPECT_EQ(fact(answer, "last"), Json(400));
  EXPECT_EQ(fact(answer, "lines").to_number<int>(), 2'000);
  EXPECT_EQ(fact(answer, "lines_exact"), Json(true));
  EXPECT_EQ(write_json(fact(answer, "next")), R"({"path":"file.txt","offset":400})");
  EXPECT_EQ(body(desk.read("file.txt", {{"offset", -1}})), "line 2000\n");
}

TEST(Read, Ws71ALargerLimitIsCappedAndSaid) {
  SCOPED_TRACE("WS-71 WF-28 WR-18: a request for too much gives a page");
  Reading desk;
  desk.put("file.txt", lines(2'000));
  const Answer answer = desk.read("file.txt", {{"limit", 100'000}});
  EXPECT_EQ(body(answer), lines(500));
  EXPECT_NE(first_line(answer).find("`limit` is capped at 500 lines"), std::string::npos);
  EXPECT_EQ(first_line(desk.read("file.txt", {{"limit", 500}})).find("capped"), std::string::npos);
  Reading wide({.read_limit = 1'000, .read_cap = 5'000});
  wide.put("file.txt", lines(2'000));
  EXPECT_EQ(body(wide.read("file.txt")), lines(1'000));
}

TEST(Read, Ws71PastTheEndIsRefusedWithTheNumberOfLines) {
  SCOPED_TRACE("WS-71 WF-28");
  Reading desk;
  desk.put("file.txt", lines(3));
  const Answer answer = desk.read("file.txt", {{"offset", 3}});
  EXPECT_EQ(rule_of(answer), "read.past_end");
  EXPECT_NE(answer.text.find("has 3 lines"), std::string::npos) << answer.text;
}

TEST(Read, Ws74NoAnswerIsLargerThanHostsTake) {
  SCOPED_TRACE("WS-74 WF-30 WR-18");
  Reading desk;
  const std::string names[] = {"file.txt", std::string(250, 'n')};
  for (const std::string& name : names) {
    for (const std::string& line : {std::string(9'000, '"'), std::string(8'000, '\x01'), "\t\\"s}) {
      desk.put(name, [&] {
        std::string text;
        for (int i = 0; i < 600; ++i) text += line + '\n';
        return text;
      }());
      const Answer answer = desk.read(name, {{"limit", 500}, {"numbers", true}});
      EXPECT_LE(encoded_size(answer.text) + encoded_size(write_json(answer.meta)), 39'000U);
      EXPECT_EQ(answer.text.find("[cut:"), std::string::npos);
      EXPECT_TRUE(fact(answer, "more").as_bool());
    }
  }
}

struct ArgumentCase {
  const char* name;
  JsonObject arguments;
  const char* want;  // rule, or the body
};
const ArgumentCase kArguments[] = {
    {"WS-3 WF-22 path is needed", {}, "args.invalid"},
    {"WS-3 WF-22 and a text", {{"path", JsonArray{1, 2}}}, "args.invalid"},
    {"WS-3 not an empty one", {{"path", ""}}, "args.invalid"},
    {"WS-3 unknown names", {{"path", "f"}, {"lines", 3}}, "args.invalid"},
    {"WS-3 a limit of 0", {{"path", "f"}, {"limit", 0}}, "args.invalid"},
    {"WS-3 a column below 0", {{"path", "f"}, {"column", -1}}, "args.invalid"},
    {"WS-3 half a line", {{"path", "f"}, {"offset", 1.5}}, "args.invalid"},
    {"WS-3 a count as 1.0", {{"path", "f"}, {"offset", 1.0}}, "b\n"},
    {"WS-3 null is absent", {{"path", "f"}, {"offset", nullptr}, {"limit", nullptr}}, "a\nb\n"},
    {"WS-71 numbers", {{"path", "f"}, {"numbers", true}}, "1\ta\n2\tb\n"},
    {"WS-74 column", {{"path", "f"}, {"column", 1}}, "\nb\n"},
};

TEST(Read, TakesItsArgumentsAsTheySay) {
  Reading desk;
  desk.put("f", "a\nb\n");
  for (const ArgumentCase& c : kArguments) {
    SCOPED_TRACE(c.name);
    const Answer answer = desk.call("read", c.arguments);
    EXPECT_EQ(answer.is_error ? rule_of(answer) : body(answer), c.want) << answer.text;
  }
}

TEST(Read, Ws2TheDefinitionIsShort) {
  SCOPED_TRACE("WS-2");
  Reading desk;
  EXPECT_LT(write_json(tool::definition_of(*desk.registry.find("read"))).size(), 1'100U);
}

TEST(Read, RefusesWhatIsNoRegularTextFile) {
  Reading desk;
  desk.put("archive", "PK\3\4\0"s);
  fs::create_directory(desk.path("folder"));
  ASSERT_EQ(::mkfifo(desk.path("pipe").c_str(), 0600), 0);
  const std::pair<const char*, const char*> cases[] = {
      {"missing", "file.not_found"}, {"folder", "file.is_directory"}, {"pipe", "file.special"},
      {"/dev/zero", "file.special"}, {"archive", "file.binary"},      {"~/file", "path.tilde"},
  };
  for (const auto& [path, rule] : cases) {
    SCOPED_TRACE("WS-20 WS-21 WS-67 WF-23 WF-25 "s + path);
    EXPECT_EQ(rule_of(desk.read(path)), rule);
  }
  const Answer binary = desk.read("archive");
  EXPECT_NE(binary.text.find("application/zip, 5 bytes"), std::string::npos) << binary.text;
  EXPECT_NE(binary.text.find("`file archive`"), std::string::npos) << binary.text;
}

TEST(Read, Ws67AnImageIsShownAsOne) {
  SCOPED_TRACE("WS-67");
  Reading desk;
  desk.put("a.png", "\x89PNG\r\n\x1A\n\0"s);
  const Answer answer = desk.read("a.png");
  ASSERT_EQ(answer.blocks.size(), 1U);
  EXPECT_EQ(write_json(answer.blocks.front()),
            R"({"type":"image","data":"iVBORw0KGgoA","mimeType":"image/png"})");
  EXPECT_TRUE(answer.text.starts_with("a.png: image/png, 9 bytes, version ")) << answer.text;
}

TEST(Read, Ws75TheSessionKnowsWhatItWasShown) {
  SCOPED_TRACE("WS-75");
  Reading desk;
  const std::string text = lines(900);
  desk.put("file.txt", text);
  auto& knowledge = desk.session->record<Knowledge>();
  desk.read("file.txt");
  const Seen* seen = knowledge.find(desk.path("file.txt"));
  ASSERT_NE(seen, nullptr);
  EXPECT_FALSE(seen->whole);
  EXPECT_EQ(seen->last_line, 400U);
  EXPECT_EQ(seen->version, version_of(text));
  EXPECT_EQ(seen->bytes, text);
  desk.read("file.txt", {{"offset", 400}, {"limit", 500}});
  EXPECT_TRUE(knowledge.find(desk.path("file.txt"))->whole);
  desk.put("file.txt", text + "more\n");
  desk.read("file.txt", {{"offset", -1}});
  seen = knowledge.find(desk.path("file.txt"));
  EXPECT_FALSE(seen->whole);
  EXPECT_EQ(seen->first_line, 901U);
}

TEST(Read, Ws75ALineThatWasShownInPartIsNotKnown) {
  SCOPED_TRACE("WS-75");
  Reading desk;
  desk.put("file.txt", "a\n" + std::string(9'000, 'x'));
  desk.read("file.txt");
  const auto& knowledge = desk.session->record<Knowledge>();
  EXPECT_EQ(const_cast<Knowledge&>(knowledge).find(desk.path("file.txt"))->last_line, 1U);
  desk.read("file.txt", {{"offset", 1}, {"column", 8'192}});
  EXPECT_FALSE(desk.session->record<Knowledge>().find(desk.path("file.txt"))->whole);
}

TEST(Read, Ws75WithoutMemoryNothingIsKept) {
  SCOPED_TRACE("WS-75 decisions, section 1");
  Reading desk;
  desk.session = std::make_shared<tool::Session>(tool::Session::Memory::kShared);
  desk.put("file.txt", lines(3));
  const Answer answer = desk.read("file.txt");
  EXPECT_EQ(fact(answer, "version"), Json(version_of(lines(3))));
  EXPECT_EQ(desk.session->record<Knowledge>().find(desk.path("file.txt")), nullptr);
}

TEST(Read, Ws75AFileThatKeepsChangingIsSaidToBeUnstable) {
  SCOPED_TRACE("WS-75");
  Reading desk;
  desk.put("log.txt", std::string(2'000'000, '\n'));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::ofstream log(desk.path("log.txt"), std::ios::app);
    while (!done) log << "more\n" << std::flush;
  });
  bool unstable = false;
  for (int i = 0; i < 100 && !unstable; ++i) {
    const Answer answer = desk.read("log.txt");
    unstable = fact(answer, "unstable").as_bool();
    const bool said = first_line(answer).find("it changed while it was read") != std::string::npos;
    EXPECT_EQ(said, unstable);
  }
  done = true;
  writer.join();
  EXPECT_TRUE(unstable);
}

TEST(Read, Ws76TheEnvironmentIsReadAndRemembered) {
  SCOPED_TRACE("WS-76 WS-17 WS-19 WF-31");
  const testing::TemporaryFolder environment;
  testing::put_bytes(environment.path() / "guide.txt", lines(2'000));
  Reading desk({.environment = EnvironmentFolder{.prefix = "/env", .folder = environment.path()}});
  const Answer answer = desk.read("/env/guide.txt");
  EXPECT_EQ(body(answer), lines(400));
  const auto revision = desk.workspace->environment->revision();
  ASSERT_TRUE(revision);
  EXPECT_EQ(fact(answer, "revision"), Json(*revision));
  const auto& reads = desk.session->record<EnvironmentReads>();
  EXPECT_EQ(reads.revision, *revision);
  ASSERT_EQ(reads.items.size(), 1U);
  EXPECT_EQ(reads.items.at("/env/guide.txt").revision, *revision);
  EXPECT_EQ(reads.items.at("/env/guide.txt").version, version_of(lines(2'000)));
  // Nothing is spilled for it, neither into the workspace nor into the environment.
  EXPECT_TRUE(fs::is_empty(desk.path("")));
  EXPECT_EQ(std::distance(fs::directory_iterator(environment.path()), fs::directory_iterator()), 1);
}

TEST(Read, Ws27AResultThatWentIsNotJustMissing) {
  SCOPED_TRACE("WS-27");
  Reading desk;
  const auto first = desk.workspace->spills.keep("session", "first", "text");
  ASSERT_TRUE(first);
  EXPECT_EQ(body(desk.read(*first)), "text");
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(desk.workspace->spills.keep("session", "other" + std::to_string(i), "text"));
  }
  EXPECT_EQ(rule_of(desk.read(*first)), "spill.expired");
  EXPECT_EQ(rule_of(desk.read(".helve/results/never.txt")), "file.not_found");
}

TEST(Read, Ws7ACancelledCallReadsNoFurther) {
  SCOPED_TRACE("WS-7");
  Reading desk;
  desk.put("file.txt", std::string(1'000'000, 'x'));
  auto cancellation = std::make_shared<tool::Cancellation>();
  std::optional<Answer> answer;
  boost::asio::co_spawn(
      desk.loop.context(),
      desk.registry.call(desk.session, {.tool = "read",
                                        .arguments = JsonObject{{"path", "file.txt"}},
                                        .cancellation = cancellation}),
      [&](std::exception_ptr, Answer given) { answer = std::move(given); });
  cancellation->request(std::chrono::milliseconds(0));
  while (!answer) desk.loop.context().run_one();
  EXPECT_TRUE(answer->is_error);
  EXPECT_EQ(desk.session->record<Knowledge>().find(desk.path("file.txt")), nullptr);
}

}  // namespace
}  // namespace helve::workspace
