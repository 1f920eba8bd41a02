#include "workspace/version.h"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "os/replace.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kDigits = 12;
constexpr std::size_t kBlock = 64 * 1024;

}  // namespace

std::string version_of(std::string_view bytes) { return sha256_hex(bytes).substr(0, kDigits); }

std::string version_of(const struct stat& status) {
  const os::Identity identity = os::identity_of(status);
  std::string facts;
  for (const auto fact : {identity.size, static_cast<std::uint64_t>(identity.mtime_ns),
                          static_cast<std::uint64_t>(identity.ctime_ns), identity.inode}) {
    facts += std::to_string(fact) + ' ';
  }
  return "w:" + version_of(facts);
}

std::string version_of(Sha256 digest) { return hex(digest.finish()).substr(0, kDigits); }

Result<std::string> version_of_file(int fd, const struct stat& status, std::string_view shown) {
  if (static_cast<std::uint64_t>(status.st_size) > kMostHashed) return version_of(status);
  Sha256 digest;
  std::vector<char> block(kBlock);
  for (std::uint64_t at = 0;;) {
    const ssize_t got = ::pread(fd, block.data(), block.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(os::errno_refusal(errno, shown));
    if (got == 0) return version_of(std::move(digest));
    digest.update({block.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
}

}  // namespace helve::workspace
