// Copies of trees, and hashes over them.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/hash.h"
#include "os/beneath.h"
#include "os/files.h"
#include "os/replace.h"
#include "workspace/detail/tree.h"

namespace helve::workspace::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{128} * 1024;

// A file below `root`, whatever was put at its name meanwhile.
os::UniqueFd open_file(const os::Root& root, const std::string& name) {
  const os::UniqueFd there = os::open_beneath(&root, name);
  struct stat status{};
  if (!there || ::fstat(there.get(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode)) {
    errno = ENOENT;
    return {};
  }
  const std::string again = "/proc/self/fd/" + std::to_string(there.get());
  return os::UniqueFd(::open(again.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

// 0 or an errno.
int add_contents(Sha256& digest, int fd) {
  Sha256 contents;
  std::vector<char> block(kBlock);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(fd, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    contents.update({block.data(), static_cast<std::size_t>(got)});
    at += got;
  }
  digest.update(contents.finish());
  return 0;
}

void add_entry(Sha256& digest, const TreeEntry& entry) {
  digest.update(entry.executable ? "x" : std::string(1, static_cast<char>(entry.kind)));
  digest.update(entry.name + '\0' + entry.link + '\0');
}

std::string revision_of(Sha256& digest) { return hex(digest.finish()).substr(0, 12); }

int copy_by_blocks(int from, int to) {
  std::vector<char> block(kBlock);
  for (;;) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    const int error = os::write_all(to, {block.data(), static_cast<std::size_t>(got)});
    if (error != 0) return error;
  }
}

// As cheaply as the file systems can: shared blocks, inside the kernel, or byte by byte.
int copy_contents(int from, int to) {
  if (::ioctl(to, FICLONE, from) == 0) return 0;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (bool begun = false;; begun = true) {
    const ssize_t copied = ::copy_file_range(from, nullptr, to, nullptr, kMost, 0);
    if (copied == 0 && begun) return 0;
    if (copied > 0) continue;
    if (copied < 0 && (errno == EINTR || (begun && errno != EXDEV && errno != EINVAL))) {
      if (errno == EINTR) continue;
      return errno;
    }
    return errno == ENOSPC || errno == EDQUOT ? errno : copy_by_blocks(from, to);
  }
}

class Copy {
 public:
  Copy(const os::Root& from, const fs::path& to) : from_(from), to_(to) {}

  Result<void> add(const TreeEntry& entry) {
    add_entry(digest_, entry);
    const fs::path at = to_ / entry.name;
    int done = 0;
    switch (entry.kind) {
      case TreeEntry::Kind::kFolder:
        done = ::mkdir(at.c_str(), 0700);
        folders_.push_back(at);
        break;
      case TreeEntry::Kind::kLink:
        done = ::symlink(entry.link.c_str(), at.c_str());
        break;
      case TreeEntry::Kind::kFile:
        return add_file(entry, at);
    }
    if (done != 0) return std::unexpected(os::errno_refusal(errno, entry.name));
    return {};
  }

  // Read-only only now: nothing can be made in a folder that is.
  Result<std::string> finish() {
    for (const fs::path& folder : folders_) ::chmod(folder.c_str(), 0555);
    ::chmod(to_.c_str(), 0555);
    return revision_of(digest_);
  }

 private:
  Result<void> add_file(const TreeEntry& entry, const fs::path& at) {
    const os::UniqueFd from = open_file(from_, entry.name);
    if (!from) return refuse_unreadable(entry.name, errno);
    const os::UniqueFd to(::open(at.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!to) return std::unexpected(os::errno_refusal(errno, entry.name));
    int error = copy_contents(from.get(), to.get());
    if (error == 0) error = add_contents(digest_, to.get());
    if (error == 0 && ::fchmod(to.get(), entry.executable ? 0555 : 0444) != 0) error = errno;
    if (error != 0) return std::unexpected(os::errno_refusal(error, entry.name));
    return {};
  }

  const os::Root& from_;
  const fs::path& to_;
  Sha256 digest_;
  std::vector<fs::path> folders_;
};

}  // namespace

Result<std::string> hash_tree(const fs::path& folder, const Tree& tree) {
  const os::UniqueFd top(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return refuse_unreadable(folder, errno);
  const os::Root root{folder.string(), "", top.get()};
  Sha256 digest;
  for (const TreeEntry& entry : tree.entries) {
    add_entry(digest, entry);
    if (entry.kind != TreeEntry::Kind::kFile) continue;
    const os::UniqueFd file = open_file(root, entry.name);
    const int error = file ? add_contents(digest, file.get()) : errno;
    if (error != 0) return refuse_unreadable(folder / entry.name, error);
  }
  return revision_of(digest);
}

Result<std::string> copy_tree(const fs::path& from, const Tree& tree, const fs::path& to) {
  const os::UniqueFd top(::open(from.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return refuse_unreadable(from, errno);
  const os::Root root{from.string(), "", top.get()};
  Copy copy(root, to);
  for (const TreeEntry& entry : tree.entries) {
    if (Result<void> added = copy.add(entry); !added) return std::unexpected(added.error());
  }
  return copy.finish();
}

}  // namespace helve::workspace::detail
