#include "workspace/detail/file_read.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/hash.h"
#include "base/text.h"
#include "workspace/knowledge.h"
#include "workspace/version.h"

namespace helve::workspace {
namespace {

constexpr std::int64_t kTick = 100'000'000;  // ns; file systems are told the time every 10 ms
constexpr std::int64_t kCoarseTick = 3'000'000'000;  // and some know seconds only, even ones

// Whether a later change of the file cannot have the same times as this state of it.
bool settled(const os::Identity& file) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  const bool coarse = file.ctime_ns % 1'000'000'000 == 0;
  return ns - file.ctime_ns > (coarse ? kCoarseTick : kTick);
}

bool is_image(std::string_view type) {
  constexpr std::array kImages = {"image/png", "image/jpeg", "image/gif", "image/webp"};
  return std::find(kImages.begin(), kImages.end(), type) != kImages.end();
}

// Small files are read once, so that what is shown is what has the version; so are those of /proc
// and /sys, whose size is not what they say.
Result<Source> open_source(const Opened& opened, const std::string& shown, bool& beginning) {
  const auto size = static_cast<std::uint64_t>(opened.status.st_size);
  if (size > Knowledge::kMostBytesOfFile) return Source(opened.fd.get(), size, shown);
  const std::size_t limit = size == 0 ? kMostUnsized : Knowledge::kMostBytesOfFile;
  auto bytes = read_beginning(opened.fd.get(), limit + 1, shown);
  if (!bytes) return std::unexpected(bytes.error());
  beginning = bytes->size() > limit;
  bytes->resize(std::min(bytes->size(), limit));
  return Source(*std::move(bytes), shown);
}

Result<void> read_image(FileRead& read, const Opened& opened) {
  auto bytes = read_beginning(opened.fd.get(), kMostImage, read.shown);
  if (!bytes) return std::unexpected(bytes.error());
  read.version = version_of(*bytes);
  read.image = *std::move(bytes);
  return {};
}

// One pass for the version and the lines.
Result<LineIndex> scan_all(Source& source, TextKind kind) {
  LineIndex index(kind);
  Sha256 digest;
  if (auto done = extend(index, source, {.byte = kMostHashed}, &digest); !done) {
    return std::unexpected(done.error());
  }
  if (index.complete) index.version = version_of(std::move(digest));
  return index;
}

Result<void> read_text(FileRead& read, Source& source, const Opened& opened, LineIndexes& indexes,
                       const PageRequest& request) {
  const os::Identity identity = os::identity_of(opened.status);
  const bool in_memory = source.bytes() != nullptr;
  const auto known = in_memory ? nullptr : indexes.find(identity);
  LineIndex index = known ? *known : LineIndex(read.kind);
  if (source.size() <= kMostHashed && index.version.empty()) {
    auto scanned = scan_all(source, read.kind);
    if (!scanned) return std::unexpected(scanned.error());
    index = *std::move(scanned);
  }
  auto page = read_page(source, index, request);
  if (!page) return std::unexpected(page.error());
  read.page = *std::move(page);
  read.version = index.version.empty() ? version_of(opened.status) : index.version;
  const bool grew = !known || known->scanned != index.scanned;
  if (grew && !in_memory && settled(identity)) indexes.keep(identity, std::move(index));
  return {};
}

std::filesystem::path real_path_of(int fd) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
}

Refusal binary(const FileRead& read, std::string_view type) {
  const std::string quoted = shell_quote(read.shown);
  return {"file.binary",
          {{"path", read.shown},
           {"size", std::to_string(read.size)},
           {"type", std::string(type)},
           {"quoted", quoted}},
          JsonObject{{"path", read.shown}, {"size", read.size}, {"type", type}}};
}

Result<void> read_kind(FileRead& read, Source& source, const Opened& opened, LineIndexes& indexes,
                       const PageRequest& request) {
  const auto beginning = source.at(0, kSniffed);
  if (!beginning) return std::unexpected(beginning.error());
  read.kind = kind_of(*beginning);
  if (read.kind.encoding != Encoding::kBinary) {
    return read_text(read, source, opened, indexes, request);
  }
  const std::string_view type = type_of(*beginning);
  if (!is_image(type) || read.size > kMostImage) return std::unexpected(binary(read, type));
  read.type = type;
  return read_image(read, opened);
}

}  // namespace

Result<FileRead> read_opened(const Opened& opened, const std::string& shown, LineIndexes& indexes,
                             const PageRequest& request, const std::atomic<bool>* stopped) {
  FileRead read;
  read.shown = shown;
  auto source = open_source(opened, shown, read.beginning);
  if (!source) return std::unexpected(source.error());
  source->stop_on(stopped);
  read.size = source->size();
  if (auto done = read_kind(read, *source, opened, indexes, request); !done) {
    return std::unexpected(done.error());
  }
  if (read.beginning) read.page.lines_exact = false;
  struct stat after{};
  if (::fstat(opened.fd.get(), &after) != 0) {
    return std::unexpected(os::errno_refusal(errno, shown));
  }
  read.unstable = os::identity_of(opened.status) != os::identity_of(after);
  read.real_path = real_path_of(opened.fd.get());
  if (source->bytes() != nullptr && !read.beginning) read.bytes = *source->bytes();
  return read;
}

}  // namespace helve::workspace
