#include "workspace/detail/file_read.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/hash.h"
#include "workspace/testing/read_through.h"
#include "workspace/version.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// A folder of its own, gone with the test.
class FileReading : public ::testing::Test {
 protected:
  FileReading() {
    std::string name = (fs::temp_directory_path() / "helve-read-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileReading() override { fs::remove_all(folder_); }

  fs::path put(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  static Opened open(const fs::path& path) {
    Opened opened{.fd = os::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
    HELVE_CHECK(opened.fd && ::fstat(opened.fd.get(), &opened.status) == 0);
    return opened;
  }
  Result<FileRead> read(const fs::path& path, const PageRequest& request = {}) {
    return read_opened(open(path), path.filename().string(), indexes_, request, nullptr);
  }

  fs::path folder_;
  LineIndexes indexes_;
};

struct KindCase {
  const char* name;
  std::string bytes, want;
};
const KindCase kKinds[] = {
    {"WS-67 a text", "a\n", "UTF-8"},
    {"WS-67 UTF-16",
     "\xFF\xFE"
     "a\0"s,
     "UTF-16LE"},
    {"WS-67 WF-29 something compressed", "\x1F\x8B\b\0\0"s, "file.binary application/gzip"},
    {"WS-67 WF-29 nobody knows what", "\0\1\2"s, "file.binary application/octet-stream"},
    {"WS-67 an image", "\x89PNG\r\n\x1A\n\0"s, "image/png"},
    {"WS-67 an image that is too large", "\x89PNG\r\n\x1A\n"s + std::string(kMostImage, '\0'),
     "file.binary image/png"},
};

TEST_F(FileReading, TellsWhatAFileIs) {
  for (const KindCase& c : kKinds) {
    SCOPED_TRACE(c.name);
    const auto read = this->read(put("file", c.bytes));
    if (read) {
      EXPECT_EQ(read->type.empty() ? name_of(read->kind.encoding) : read->type, c.want);
      EXPECT_EQ(read->image, read->type.empty() ? "" : c.bytes);
      continue;
    }
    EXPECT_EQ(read.error().rule + ' ' + std::string(*find_text(read.error().details, "type")),
              c.want);
    EXPECT_EQ(find(read.error().details, "size")->to_number<std::size_t>(), c.bytes.size());
  }
}

TEST_F(FileReading, Ws68TheVersionIsOfTheBytes) {
  SCOPED_TRACE("WS-68");
  for (const std::size_t size : {0UL, 1UL, 300'000UL}) {  // the last is not kept in memory
    const std::string bytes(size, 'x');
    const auto read = this->read(put("file", bytes));
    EXPECT_EQ(read->version, sha256_hex(bytes).substr(0, 12));
    const Opened opened = open(folder_ / "file");
    EXPECT_EQ(version_of_file(opened.fd.get(), opened.status, "file"), read->version);
    EXPECT_EQ(read->bytes.has_value(), size < 300'000);
  }
}

TEST_F(FileReading, Ws68OfALargeFileItIsOfWhatTheSystemSays) {
  SCOPED_TRACE("WS-68 WS-72");
  const fs::path path = put("file", "first\n" + std::string(kSniffed, '\n'));  // then holes
  fs::resize_file(path, kMostHashed + (2 * kCountOn));
  const auto read = this->read(path, {.limit = 1});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->version.starts_with("w:") && read->version.size() == 14) << read->version;
  EXPECT_EQ(read->page.text, "first\n");
  EXPECT_FALSE(read->page.lines_exact);
  const Opened opened = open(path);
  EXPECT_EQ(version_of(opened.status), read->version);
  fs::resize_file(path, kMostHashed + 2);
  EXPECT_NE(version_of(open(path).status), read->version);
}

TEST_F(FileReading, Ws72LinesAreCountedToTheEndWhereTheVersionIsOfTheBytes) {
  SCOPED_TRACE("WS-72");
  std::string bytes;
  while (bytes.size() < 3 * kCountOn) bytes += "0123456\n";
  const auto read = this->read(put("file", bytes), {.limit = 1});
  EXPECT_TRUE(read->page.lines_exact);
  EXPECT_EQ(read->page.lines, bytes.size() / 8);
}

TEST_F(FileReading, Ws72AnIndexIsUsedAgainOnceTheFileHasSettled) {
  SCOPED_TRACE("WS-72 WS-68");
  const fs::path path = put("file", std::string(300'000, '\n'));
  const auto identity = os::identity_of(open(path).status);
  while (!indexes_.find(identity)) {
    ASSERT_TRUE(this->read(path));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto before = this->read(path, {.offset = 200'000, .limit = 1});
  // Another state of the file, with the same size, is not taken for this one.
  put("file", std::string(299'999, '\n') + "x");
  const auto after = this->read(path, {.offset = -1});
  EXPECT_NE(after->version, before->version);
  EXPECT_EQ(after->page.text, "x");
}

TEST_F(FileReading, Ws20AFileThatReportsNoSizeIsReadToItsEnd) {
  SCOPED_TRACE("WS-20");
  const auto read = this->read("/proc/self/status", {.limit = 1});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->page.text.starts_with("Name:")) << read->page.text;
  EXPECT_GT(read->page.lines, 20U);
  EXPECT_GT(read->size, 0U);
}

TEST_F(FileReading, Ws75AChangeBetweenTheTwoLooksIsSeen) {
  SCOPED_TRACE("WS-75");
  for (const std::size_t size : {10UL, 300'000UL}) {
    const fs::path path = put("file", std::string(size, 'a'));
    const Opened opened = open(path);
    EXPECT_FALSE(read_opened(opened, "file", indexes_, {}, nullptr)->unstable);
    std::ofstream(path, std::ios::app) << "more";
    EXPECT_TRUE(read_opened(opened, "file", indexes_, {}, nullptr)->unstable);
  }
}

TEST_F(FileReading, Ws75NamesTheFileThatALinkLeadsTo) {
  SCOPED_TRACE("WS-75");
  const fs::path path = put("file", "a\n");
  fs::create_symlink(path, folder_ / "link");
  EXPECT_EQ(this->read(folder_ / "link")->real_path, fs::canonical(path));
}

TEST_F(FileReading, Ws7ACancelledReadEnds) {
  SCOPED_TRACE("WS-7");
  const fs::path path = put("file", std::string(300'000, 'a'));
  const std::atomic<bool> stopped = true;
  const auto read = read_opened(open(path), "file", indexes_, {}, &stopped);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().rule, "read.cancelled");
}

TEST_F(FileReading, Ws21AnErrorOfTheSystemIsARefusal) {
  SCOPED_TRACE("WS-21");
  Opened opened = open(put("file", std::string(300'000, 'a')));
  opened.fd = os::UniqueFd(::open((folder_ / "file").c_str(), O_WRONLY | O_CLOEXEC));
  const auto read = read_opened(opened, "file", indexes_, {}, nullptr);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().rule, "file.failed");
  EXPECT_FALSE(version_of_file(opened.fd.get(), opened.status, "file"));
}

}  // namespace
}  // namespace helve::workspace
