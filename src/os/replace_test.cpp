// New bytes take the place of old ones whole or not at all (WS-78, WS-79, WS-82, WS-91, WR-16).
#include "os/replace.h"

#include <gtest/gtest.h>
#include <sys/xattr.h>

#include <array>
#include <cerrno>

#include "base/texts.h"
#include "os/beneath.h"
#include "os/testing/replacing.h"
#include "os/testing/scratch.h"

namespace helve::os {
namespace {

namespace fs = std::filesystem;
using testing::describe;
using testing::replace;
using testing::Scratch;
using testing::status_of;

TEST(ReplaceFile, AFileThatIsReplacedKeepsAllButItsBytes) {
  SCOPED_TRACE("WS-78 mode, owner, attributes are copied; WF-33 write truncates in place");
  for (const mode_t mode : {0600U, 0644U, 0755U, 0666U, 04755U}) {
    Scratch folder;
    const fs::path file = folder.write("a.txt", "old", mode);
    const bool owned = testing::is_root() && ::chown(file.c_str(), 1234, 4321) == 0;
    ::chmod(file.c_str(), mode);
    const bool labelled = ::setxattr(file.c_str(), "user.mark", "here", 4, 0) == 0;
    const struct stat before = status_of(file);
    ASSERT_EQ(describe(replace(folder, "a.txt", "new bytes")), "replaced");
    const struct stat after = status_of(file);
    EXPECT_EQ(folder.read("a.txt"), "new bytes");
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_EQ(after.st_uid, owned ? 1234U : ::geteuid());
    EXPECT_EQ(after.st_gid, before.st_gid);
    EXPECT_NE(after.st_ino, before.st_ino);
    std::array<char, 8> mark{};
    EXPECT_EQ(::getxattr(file.c_str(), "user.mark", mark.data(), mark.size()), labelled ? 4 : -1);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.txt"});
  }
}

// user::rw-, user:1234:r--, group::r--, mask::r--, other::---
constexpr std::array<unsigned char, 44> kAcl = {
    2,   0,   0,   0,   1,  0, 6, 0, 255, 255, 255, 255, 2,  0, 4, 0, 210, 4,   0,   0,  4, 0, 4, 0,
    255, 255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255};

std::string attribute(const fs::path& file, const char* name) {
  std::string value(256, '\0');
  const ssize_t size = ::getxattr(file.c_str(), name, value.data(), value.size());
  value.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return value;
}

constexpr const char* kAccess = "system.posix_acl_access";
constexpr const char* kDefault = "system.posix_acl_default";

TEST(ReplaceFile, AnAccessListIsKeptAndNoneIsPickedUpFromTheFolder) {
  SCOPED_TRACE("WS-78 the ACL is copied from the old file");
  Scratch folder;
  const fs::path listed = folder.write("listed", "old"), plain = folder.write("plain", "old");
  if (::setxattr(listed.c_str(), kAccess, kAcl.data(), kAcl.size(), 0) != 0) {
    GTEST_SKIP() << "no POSIX ACLs on this file system";
  }
  ASSERT_EQ(::setxattr(folder.path().c_str(), kDefault, kAcl.data(), kAcl.size(), 0), 0);
  const std::string before = attribute(listed, kAccess);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(describe(replace(folder, "listed", "new")), "replaced");
  EXPECT_EQ(attribute(listed, kAccess), before);
  EXPECT_EQ(describe(replace(folder, "plain", "new")), "replaced");
  EXPECT_EQ(attribute(plain, kAccess), "");
  EXPECT_EQ(status_of(plain).st_mode & 07777, 0644U);
}

TEST(ReplaceFile, ANewFileIsAsIfItWereMadeByAnyProgram) {
  SCOPED_TRACE("WS-78 new: 0666 minus umask, or what the folder's default ACL says");
  Scratch folder;
  const fs::path other = folder / "made";
  ::close(::open(other.c_str(), O_CREAT | O_WRONLY, 0666));
  EXPECT_EQ(describe(replace(folder, "new", "text")), "replaced");
  EXPECT_EQ(status_of(folder / "new").st_mode, status_of(other).st_mode);
  if (::setxattr(folder.path().c_str(), kDefault, kAcl.data(), kAcl.size(), 0) != 0) return;
  ::close(::open((folder / "made2").c_str(), O_CREAT | O_WRONLY, 0666));
  EXPECT_EQ(describe(replace(folder, "new2", "text")), "replaced");
  EXPECT_EQ(attribute(folder / "new2", kAccess), attribute(folder / "made2", kAccess));
  EXPECT_EQ(status_of(folder / "new2").st_mode, status_of(folder / "made2").st_mode);
}

TEST(ReplaceFile, PiecesOfAnySizeAndNumberAreJoined) {
  Scratch folder;
  const std::string large(3'000'000, 'x');
  std::vector<std::string_view> pieces(200, "0123456789");
  pieces.insert(pieces.begin() + 100, large);
  pieces.emplace_back("");
  std::string whole;
  for (const std::string_view piece : pieces) whole += piece;
  EXPECT_EQ(describe(testing::replace_pieces(folder.path(), "a", pieces, std::nullopt)),
            "replaced");
  EXPECT_EQ(folder.read("a"), whole);
  EXPECT_EQ(describe(replace(folder, "a", "")), "replaced");
  EXPECT_EQ(folder.read("a"), "");
}

TEST(ReplaceFile, OtherHardLinksAreWrittenInPlace) {
  SCOPED_TRACE("WS-79 other hard links: in place, and said; WR-16 the second link as before");
  for (const char* text : {"a longer text than before", "s", ""}) {
    Scratch folder;
    const fs::path file = folder.write("a", "old text");
    fs::create_hard_link(file, folder / "b");
    const ino_t inode = status_of(file).st_ino;
    EXPECT_EQ(describe(replace(folder, "a", text)), "in place: hard_links");
    EXPECT_EQ(folder.read("b"), text);
    EXPECT_EQ(status_of(file).st_ino, inode);
    EXPECT_EQ(folder.names().size(), 2U);
    EXPECT_TRUE(has_text("file.in_place.hard_links"));
  }
}

TEST(ReplaceFile, WhatARenameWouldLoseIsWrittenInPlace) {
  SCOPED_TRACE("WS-79 folder not writable, owner that cannot be kept");
  if (!testing::is_root()) GTEST_SKIP() << "needs root, to become somebody without rights";
  Scratch folder;
  folder.write("closed/a", "old", 0666);
  folder.write("open/a", "old", 0666);
  ::chmod((folder / "open").c_str(), 0777);
  const auto in = [&](const char* name) {
    return testing::as_nobody(
        [&] { return describe(replace(folder.path() / name, "a", "new bytes")); });
  };
  EXPECT_EQ(in("closed"), "in place: folder");
  EXPECT_EQ(in("open"), "in place: owner");
  EXPECT_EQ(folder.read("closed/a") + folder.read("open/a"), "new bytesnew bytes");
  EXPECT_EQ(status_of(folder / "open/a").st_uid, 0U);
  EXPECT_EQ(folder.names("open"), std::vector<std::string>{"a"});
}

TEST(ReplaceFile, AFileThatItsModeProtectsIsLeftAlone) {
  SCOPED_TRACE("WS-21 EACCES is file.denied; WF-24 write errors escape as exceptions");
  if (!testing::is_root()) GTEST_SKIP() << "needs root, to become somebody without rights";
  Scratch folder;
  folder.write("open/a", "old", 0444);
  ::chmod((folder / "open").c_str(), 0777);
  EXPECT_EQ(testing::as_nobody([&] {
              return describe(replace(folder.path() / "open", "a", "new")) + ", " +
                     describe(replace(folder.path(), "b", "new"));
            }),
            "file.denied, file.denied");
  EXPECT_EQ(folder.read("open/a"), "old");
}

TEST(ReplaceFile, WhatIsNotAsExpectedIsNotReplaced) {
  SCOPED_TRACE("WS-91 the identity right before the rename must be the one that was read");
  Scratch folder;
  folder.write("a", "theirs");
  const std::array<std::string_view, 1> mine = {"mine"};
  Identity read = identity_of(status_of(folder / "a"));
  --read.mtime_ns;
  const auto with = [&](const char* name, std::optional<Identity> expected) {
    return describe(testing::replace_pieces(folder.path(), name, mine, expected));
  };
  EXPECT_EQ(with("a", read), "file.changed_meanwhile");
  EXPECT_EQ(with("a", std::nullopt), "file.changed_meanwhile");
  EXPECT_EQ(with("gone", read), "file.changed_meanwhile");
  fs::create_hard_link(folder / "a", folder / "b");
  EXPECT_EQ(with("a", read), "file.changed_meanwhile");
  EXPECT_EQ(folder.read("a"), "theirs");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "b"}));
}

TEST(ReplaceFile, AFolderThatHasGoneIsAChange) {
  SCOPED_TRACE("WS-91 it is looked for, or made, again");
  Scratch folder;
  fs::create_directory(folder / "going");
  const UniqueFd fd(::open((folder / "going").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  fs::remove(folder / "going");
  const std::array<std::string_view, 1> pieces = {"text"};
  const auto replaced = replace_file(
      {.folder = fd.get(), .name = "a", .shown = "going/a", .pieces = pieces, .expected = {}});
  EXPECT_EQ(describe(replaced), "file.changed_meanwhile");
}

TEST(ReplaceFile, WhatItAnswersIsTheIdentityOfWhatIsThere) {
  SCOPED_TRACE("WS-91 a second change by the same hand needs no second look");
  Scratch folder;
  Result<Replaced> last = replace(folder, "a", "one");
  for (const char* text : {"two", "three", "four"}) {
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->now, identity_of(status_of(folder / "a")));
    const std::array<std::string_view, 1> pieces = {text};
    last = testing::replace_pieces(folder.path(), "a", pieces, last->now);
  }
  EXPECT_EQ(folder.read("a"), "four");
}

TEST(RemoveStaleTemporaries, TakesOnlyOursThatNobodyWrites) {
  SCOPED_TRACE("WS-78 stale temporaries are removed");
  Scratch folder;
  const std::string old = ".helve-0123456789abcdef.tmp", fresh = ".helve-1123456789abcdef.tmp";
  const std::string others[] = {".helve-0123456789abcdeg.tmp", ".helve-0123.tmp",
                                "helve-0123456789abcdef.tmp", ".helve-0123456789abcdef.tmp2"};
  const auto age = [&](const std::string& name) {
    const std::array<timespec, 2> times = {timespec{.tv_sec = 1'000'000}, {.tv_sec = 1'000'000}};
    ::utimensat(AT_FDCWD, (folder / name).c_str(), times.data(), 0);
  };
  folder.write(fresh, "x");
  folder.write(old, "x");
  age(old);
  for (const std::string& name : others) {
    folder.write(name, "x");
    age(name);
  }
  const UniqueFd fd(::open(folder.path().c_str(), O_PATH | O_DIRECTORY));
  remove_stale_temporaries(fd.get());
  EXPECT_FALSE(fs::exists(folder / old));
  EXPECT_TRUE(fs::exists(folder / fresh));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(ErrnoRefusal, EveryErrorHasARule) {
  SCOPED_TRACE("WS-21; WF-23 every read error is 'missing'");
  struct Case {
    int error;
    const char* rule;
  };
  constexpr Case kCases[] = {
      {ENOENT, "file.not_found"},      {ENOTDIR, "file.not_found"}, {EACCES, "file.denied"},
      {EPERM, "file.denied"},          {EROFS, "file.read_only"},   {ENOSPC, "disk.full"},
      {EDQUOT, "disk.full"},           {EFBIG, "file.too_large"},   {ELOOP, "path.loop"},
      {ENAMETOOLONG, "path.too_long"}, {EMFILE, "host.busy"},       {ENFILE, "host.busy"},
      {EISDIR, "file.is_directory"},   {EIO, "file.failed"},        {ESTALE, "file.failed"},
      {9999, "file.failed"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.error);
    const Refusal refusal = errno_refusal(c.error, "a\nb\xff");
    EXPECT_EQ(refusal.rule, c.rule);
    const std::string told = render_text(refusal);
    EXPECT_TRUE(told.contains("a b\xEF\xBF\xBD")) << told;
    EXPECT_FALSE(told.contains('{')) << told;
  }
  EXPECT_TRUE(render_text(errno_refusal(EIO, "x")).contains("EIO"));
}

}  // namespace
}  // namespace helve::os
