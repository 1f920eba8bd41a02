#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/testing/scratch.h"
#include "workspace/knowledge.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

using testing::bytes_of;
using testing::Desk;
using testing::fact;
using testing::first_line;
using testing::rule_of;
namespace fs = std::filesystem;

Settings strict() {
  Settings settings;
  settings.guard = Guard::kStrict;
  return settings;
}

TEST(Write, WS77WritesTheTextByteForByte) {
  Desk desk;
  const std::string text = "\xEF\xBB\xBFone\r\ntwo\rthree\n\n\tno end";
  const auto answer = desk.write("a/b/c.txt", text);
  EXPECT_FALSE(answer.is_error) << answer.text;
  EXPECT_EQ(desk.bytes("a/b/c.txt"), text);
  EXPECT_EQ(first_line(answer), "a/b/c.txt: created, bytes 26, lines 4, version " +
                                    version_of(text) + "; created folders: 2");
  EXPECT_EQ(fact(answer, "created"), true);
  EXPECT_EQ(fact(answer, "bytes"), 26);
  EXPECT_EQ(fact(answer, "lines"), 4);
  EXPECT_EQ(fact(answer, "version").as_string(), version_of(text));
  EXPECT_EQ(fact(answer, "created_folders"), 2) << "WS-23";
}

// What is left of three new folders and a file in them on a small disk, after "what it answered: ".
std::string after_full_disk(const char* options, std::size_t bytes) {
  Desk desk;
  fs::create_directories(desk.path("disk"));
  if (::mount("tmpfs", desk.path("disk").c_str(), "tmpfs", 0, options) != 0) return "no tmpfs";
  desk.put("disk/kept/old", "x");
  std::string said = rule_of(desk.write("disk/kept/a/b/c/new", std::string(bytes, 'x'))) + ":";
  for (const auto& left : fs::recursive_directory_iterator(desk.path("disk"))) {
    said += ' ' + left.path().lexically_relative(desk.path("disk")).string();
  }
  ::umount(desk.path("disk").c_str());
  return said;
}

TEST(Write, WS78AFullDiskKeepsNoFolderOfAFileThatIsNotThere) {
  if (!os::testing::can_mount()) GTEST_SKIP() << "needs root and a mount namespace";
  const auto on = [](const char* options, std::size_t bytes) {
    return os::testing::with_mounts([&] { return after_full_disk(options, bytes); });
  };
  EXPECT_EQ(on("size=1m", 2'000'000), "disk.full: kept kept/old") << "no room for its text";
  EXPECT_EQ(on("nr_inodes=5", 1), "disk.full: kept kept/old") << "no room for the last folder";
  EXPECT_EQ(on("nr_inodes=6", 1), "disk.full: kept kept/old") << "no room for the file";
  EXPECT_EQ(on("size=1m", 1), ": kept kept/a kept/a/b kept/a/b/c kept/a/b/c/new kept/old");
}

TEST(Write, WS23OnlyTheFoldersOfTheCallItselfGoAgain) {
  Desk desk;
  EXPECT_EQ(rule_of(desk.write("a/b/new", "x", {{"version", "0123456789ab"}})), "file.changed");
  EXPECT_FALSE(fs::exists(desk.path("a")));
  fs::create_directories(desk.path("a"));
  EXPECT_EQ(rule_of(desk.write("a/b/new", "x", {{"version", "0123456789ab"}})), "file.changed");
  EXPECT_TRUE(fs::is_empty(desk.path("a")));
}

TEST(Write, WS77TextMayBeEmptyButNotTooLarge) {
  Desk desk;
  EXPECT_FALSE(desk.write("empty", "").is_error);
  EXPECT_TRUE(fs::exists(desk.path("empty")));
  EXPECT_FALSE(desk.write("large", std::string(4 << 20, 'x')).is_error);
  EXPECT_EQ(rule_of(desk.write("larger", std::string((4 << 20) + 1, 'x'))), "write.too_large");
  EXPECT_FALSE(fs::exists(desk.path("larger")));
}

TEST(Write, WF22WR14RefusesWhatIsMissingOrOfTheWrongKind) {
  Desk desk;
  desk.put("f", "kept");
  for (const char* arguments :
       {R"({"path": "f"})", R"({"path": "f", "text": {"a": 5}})", R"({"path": "f", "text": null})",
        R"({"text": "x"})", R"({"path": "f", "text": "x", "txt": "y"})",
        R"({"path": "f", "text": ["x"]})"}) {
    EXPECT_EQ(rule_of(desk.call("write", *parse_json(arguments))), "args.invalid") << arguments;
  }
  EXPECT_EQ(desk.bytes("f"), "kept");
}

TEST(Write, WF24ErrorsOfTheSystemAreRefusals) {
  Desk desk;
  desk.put("folder/f", "x");
  EXPECT_EQ(rule_of(desk.write("folder", "x")), "file.is_directory");
  EXPECT_EQ(rule_of(desk.write("folder/f/g", "x")), "file.not_found");
  EXPECT_EQ(rule_of(desk.write(std::string(300, 'n'), "x")), "path.too_long");
}

TEST(Write, WF33WS78ReplacesTheFileWhole) {
  Desk desk;
  desk.put("f", "old");
  fs::permissions(desk.path("f"), fs::perms(0751));
  fs::create_symlink("f", desk.path("link"));
  struct stat before{}, after{};
  ASSERT_EQ(::stat(desk.path("f").c_str(), &before), 0);
  EXPECT_FALSE(desk.write("link", "new").is_error);
  EXPECT_TRUE(fs::is_symlink(desk.path("link"))) << "WS-22: the link stays";
  ASSERT_EQ(::stat(desk.path("f").c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino) << "a new file by rename, never truncated";
  EXPECT_EQ(after.st_mode & 07777U, 0751U);
  EXPECT_EQ(desk.bytes("f"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(desk.workspace->settings.root), {}), 2)
      << "no temporary stays";
}

TEST(Write, WS79SaysWhyItWroteInPlace) {
  Desk desk;
  desk.put("f", "old");
  fs::create_hard_link(desk.path("f"), desk.path("g"));
  const auto answer = desk.write("f", "new");
  EXPECT_EQ(desk.bytes("g"), "new");
  EXPECT_EQ(fact(answer, "in_place"), "hard_links");
  EXPECT_TRUE(answer.text.contains("in place, because")) << answer.text;
}

TEST(Write, WF34WS80WR17RefusesToReplaceWhatSomebodyChanged) {
  Desk desk;
  desk.put("f", "one\ntwo\n");
  desk.saw("f");
  desk.put("f", "one\nTWO\n");
  const auto refused = desk.write("f", "mine\n");
  EXPECT_EQ(rule_of(refused), "file.changed");
  EXPECT_TRUE(refused.text.contains("-two\n+TWO\n")) << refused.text;
  EXPECT_TRUE(refused.text.contains(version_of("one\nTWO\n")));
  EXPECT_EQ(desk.bytes("f"), "one\nTWO\n");
  // What it knows stays as it was, so that the next try is refused too, until it reads again.
  EXPECT_EQ(rule_of(desk.write("f", "mine\n")), "file.changed");
  desk.saw("f");
  EXPECT_FALSE(desk.write("f", "mine\n").is_error) << "one re-read, then success";
}

TEST(Write, WS80WR17TouchedOrChangedBackIsNoChange) {
  Desk desk;
  desk.put("f", "one\n");
  desk.saw("f");
  desk.put("f", "other\n");
  desk.put("f", "one\n");
  fs::last_write_time(desk.path("f"), fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(desk.write("f", "two\n").is_error);
}

TEST(Write, WS80WR17ItsOwnWritesAreKnown) {
  Desk desk;
  for (const char* text : {"one\n", "two\n", "three\n"}) {
    const auto answer = desk.write("f", text);
    EXPECT_FALSE(answer.is_error) << answer.text;
    EXPECT_EQ(fact(answer, "replaced_unseen"), nullptr);
  }
  EXPECT_FALSE(desk.edit("f", "three", "four").is_error);
  EXPECT_FALSE(desk.write("f", "five\n").is_error);
}

TEST(Write, WS80SaysHowMuchUnseenContentItReplaced) {
  Desk desk;
  desk.put("f", "unseen\n");
  desk.put("empty", "");
  const auto answer = desk.write("f", "x");
  EXPECT_EQ(fact(answer, "replaced_unseen"), 7);
  EXPECT_TRUE(answer.text.contains("replaced 7 bytes that this session had not read"));
  EXPECT_EQ(fact(desk.write("empty", "x"), "replaced_unseen"), nullptr);
  desk.put("part", "one\ntwo\n");
  desk.saw("part", false);
  EXPECT_EQ(fact(desk.write("part", "x"), "replaced_partly_seen"), 8);
}

TEST(Write, WS80StrictRefusesWhatIsUnread) {
  Desk desk(strict());
  desk.put("f", "unseen\n");
  desk.put("part", "one\ntwo\n");
  desk.saw("part", false);
  EXPECT_EQ(rule_of(desk.write("f", "x")), "file.unread");
  EXPECT_EQ(rule_of(desk.write("part", "x")), "file.unread");
  EXPECT_EQ(desk.bytes("f"), "unseen\n");
  EXPECT_FALSE(desk.write("f", "x", {{"version", version_of("unseen\n")}}).is_error);
  EXPECT_FALSE(desk.write("new", "x").is_error);
}

TEST(Write, WS80TheGuardCanBeOff) {
  Settings off;
  off.guard = Guard::kOff;
  Desk desk(off);
  desk.put("f", "one\n");
  desk.saw("f");
  desk.put("f", "two\n");
  EXPECT_FALSE(desk.write("f", "mine\n").is_error);
}

TEST(Write, WS80TakesTheVersionThatItMustFind) {
  Desk desk;
  desk.put("f", "one\n");
  const auto write = [&](const std::string& name, const std::string& version) {
    return rule_of(desk.write(name, "two " + version, {{"version", version}}));
  };
  EXPECT_EQ(write("f", "absent"), "file.exists");
  EXPECT_EQ(write("f", "000000000000"), "file.changed");
  EXPECT_EQ(write("g", "000000000000"), "file.changed") << "it is gone";
  EXPECT_EQ(desk.bytes("f"), "one\n");
  EXPECT_FALSE(fs::exists(desk.path("g")));
  EXPECT_EQ(write("f", version_of("one\n")), "");
  EXPECT_EQ(write("f", "any"), "");
  EXPECT_EQ(write("h", "absent"), "");
  EXPECT_EQ(write("i", "any"), "");
}

TEST(Write, WS80ClaimsNothingOfAVersionThatItNeverSaw) {
  Desk desk;
  desk.put("f", "one\n");
  const std::string said = "was changed since it had the version 000000000000, if it ever did";
  const auto said_of = [&](const char* name) {
    return first_line(desk.write(name, "x", {{"version", "000000000000"}}));
  };
  EXPECT_EQ(said_of("f"), "f " + said);
  EXPECT_EQ(said_of("g"), "g " + said + "; it is not there");
  desk.saw("f");
  desk.put("f", "other\n");
  EXPECT_EQ(first_line(desk.write("f", "x")), "f was changed since it was seen:");
}

TEST(Write, WS80ASessionWithoutMemoryGivesTheVersion) {
  Desk desk;
  desk.session = std::make_shared<tool::Session>(tool::Session::Memory::kShared);
  desk.put("f", "one\n");
  const auto refused = desk.write("f", "two\n");
  EXPECT_EQ(rule_of(refused), "file.version_needed");
  EXPECT_TRUE(refused.text.contains(version_of("one\n"))) << refused.text;
  EXPECT_EQ(desk.bytes("f"), "one\n");
  EXPECT_FALSE(desk.write("f", "two\n", {{"version", version_of("one\n")}}).is_error);
  EXPECT_FALSE(desk.write("new", "x").is_error) << "a new file needs none";
}

TEST(Write, WS81EqualBytesAreNotWritten) {
  Desk desk;
  desk.put("f", "same\n");
  struct stat before{}, after{};
  ASSERT_EQ(::stat(desk.path("f").c_str(), &before), 0);
  const auto answer = desk.write("f", "same\n");
  ASSERT_EQ(::stat(desk.path("f").c_str(), &after), 0);
  EXPECT_EQ(fact(answer, "unchanged"), true);
  EXPECT_TRUE(answer.text.contains("unchanged")) << answer.text;
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
}

TEST(Write, WS81SaysWhatBecameOfTheLines) {
  Desk desk;
  desk.put("f", "a\nb\nc\n");
  desk.saw("f");
  const auto answer = desk.write("f", "a\nX\nY\nc\n");
  EXPECT_EQ(first_line(answer),
            "f: replaced, bytes 8, lines 4 (+2 -1), version " + version_of("a\nX\nY\nc\n"));
  EXPECT_EQ(fact(answer, "added"), 2);
  EXPECT_EQ(fact(answer, "removed"), 1);
}

struct Differs {
  const char *before, *after, *says;
};
constexpr Differs kDiffers[] = {
    {"\xEF\xBB\xBF"
     "a\n",
     "b\n", "byte order mark (BOM), which is gone"},
    {"a\n",
     "\xEF\xBB\xBF"
     "b\n",
     "byte order mark (BOM) now"},
    {"a\r\nb\r\n", "c\n", "its line ends were CRLF and are LF"},
    {"a\nb\r\n", "c\n", "its line ends were mixed and are LF"},
    {"a", "b\n", "ends with a newline now"},
    {"a\n", "b", "does not any more"},
};

TEST(Write, WS77SaysWhenTheTextEndsItsLinesOtherwise) {
  Desk desk;
  for (const Differs& c : kDiffers) {
    desk.put("f", c.before);
    desk.saw("f");
    const auto answer = desk.write("f", c.after);
    EXPECT_TRUE(first_line(answer).contains(c.says)) << answer.text;
  }
  desk.put("f", "a\r\nb");
  desk.saw("f");
  EXPECT_EQ(fact(desk.write("f", "c\r\nd"), "differs_in"), nullptr);
}

TEST(Write, WS77SaysWhenTheEncodingBecomesAnother) {
  Desk desk;
  desk.put("f", std::string("\xFF\xFE"
                            "a\0\n\0",
                            6));
  const auto answer = desk.write("f", "a\n");
  EXPECT_NE(first_line(answer).find("it was UTF-16LE and is UTF-8 now"), std::string::npos)
      << answer.text;
  EXPECT_EQ(first_line(answer).find("byte order mark"), std::string::npos);
}

TEST(Write, WS82WritesDurablyIfToldTo) {
  Settings durable;
  durable.durable = true;
  Desk desk(durable);
  EXPECT_FALSE(desk.write("f", "one").is_error);
  EXPECT_FALSE(desk.write("f", "two").is_error);
  EXPECT_EQ(desk.bytes("f"), "two");
}

TEST(Write, WS7ACancelledCallWritesAllOrNothing) {
  const std::string old_text(100'000, 'o'), new_text(100'000, 'n');
  for (std::size_t steps = 0; steps < 12; ++steps) {
    Desk desk;
    desk.put("f", old_text);
    const auto cancellation = std::make_shared<tool::Cancellation>();
    bool over = false;
    boost::asio::co_spawn(
        desk.loop.context(),
        desk.registry.call(desk.session,
                           {.tool = "write",
                            .arguments = JsonObject{{"path", "f"}, {"text", new_text}},
                            .cancellation = cancellation}),
        [&](std::exception_ptr, const tool::Answer&) { over = true; });
    for (std::size_t i = 0; i < steps && !over; ++i) desk.loop.context().run_one();
    cancellation->request(Duration());
    while (!over) HELVE_CHECK(desk.loop.context().run_one() > 0);
    const std::string bytes = desk.bytes("f");
    EXPECT_TRUE(bytes == old_text || bytes == new_text) << steps;
  }
}

TEST(Write, WS7ACancelledCallThatWaitsForItsTurnWritesNothing) {
  Desk desk;
  desk.put("f", "old");
  auto cancellation = std::make_shared<tool::Cancellation>();
  std::optional<tool::Answer> answer;
  desk.loop.spawn([&]() -> boost::asio::awaitable<void> {
    auto lock = co_await desk.workspace->locks.lock(desk.path("f"), "f");
    HELVE_CHECK(lock);
    boost::asio::co_spawn(
        desk.loop.context(),
        desk.registry.call(desk.session, {.tool = "write",
                                          .arguments = JsonObject{{"path", "f"}, {"text", "new"}},
                                          .cancellation = cancellation}),
        [&](std::exception_ptr, tool::Answer given) { answer = std::move(given); });
    co_await os::Loop::sleep(std::chrono::milliseconds(30));
    cancellation->request(Duration());
  });
  while (!answer) HELVE_CHECK(desk.loop.context().run_one() > 0);
  EXPECT_EQ(rule_of(*answer), "edit.cancelled");
  EXPECT_EQ(desk.bytes("f"), "old");
}

}  // namespace
}  // namespace helve::workspace
