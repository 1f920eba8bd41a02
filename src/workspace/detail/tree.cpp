#include "workspace/detail/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "os/beneath.h"
#include "os/files.h"

namespace helve::workspace::detail {
namespace {

namespace fs = std::filesystem;

std::int64_t nanoseconds(const timespec& at) {
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

// Reads one tree. Folders are opened from their parents, so that it stays in one tree whatever is
// moved meanwhile.
class Look {
 public:
  Look(const fs::path& folder, const std::string& prefix) : folder_(folder), prefix_(prefix) {}

  Result<Tree> run() {
    top_ = os::UniqueFd(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top_) return refuse_unreadable(folder_, errno);
    std::error_code ignored;
    root_ = {fs::canonical(folder_, ignored).string(), prefix_, top_.get()};
    std::vector<std::string> folders = {""};
    while (!folders.empty()) {
      const std::string name = std::move(folders.back());
      folders.pop_back();
      if (Result<void> read = read_folder(name, folders); !read) {
        return std::unexpected(read.error());
      }
    }
    std::ranges::sort(tree_.entries, {}, &TreeEntry::name);
    return std::move(tree_);
  }

 private:
  Result<void> read_folder(const std::string& name, std::vector<std::string>& folders) {
    const os::UniqueFd there = os::open_beneath(&root_, name);
    os::UniqueFd fd(there ? ::openat(there.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    DIR* entries = fd ? ::fdopendir(fd.get()) : nullptr;
    if (entries == nullptr) return refuse_unreadable(folder_ / name, errno);
    const int folder = fd.release();
    while (const dirent* entry = ::readdir(entries)) {
      const std::string child = static_cast<const char*>(entry->d_name);
      if (child != "." && child != "..") add(folder, name, child, folders);
    }
    ::closedir(entries);
    return {};
  }

  void add(int folder, const std::string& parent, const std::string& name,
           std::vector<std::string>& folders) {
    struct stat status{};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;  // just gone
    TreeEntry entry{.name = parent.empty() ? name : parent + "/" + name};
    entry.inode = status.st_ino;
    entry.changed_ns = nanoseconds(status.st_ctim);
    entry.modified_ns = nanoseconds(status.st_mtim);
    if (S_ISREG(status.st_mode)) {
      entry.executable = (status.st_mode & 0100) != 0;
      entry.size = static_cast<std::uint64_t>(status.st_size);
    } else if (S_ISDIR(status.st_mode)) {
      entry.kind = TreeEntry::Kind::kFolder;
      folders.push_back(entry.name);
    } else if (S_ISLNK(status.st_mode)) {
      entry.kind = TreeEntry::Kind::kLink;
      const std::optional<std::string> target = target_of(folder, name, entry.name);
      if (!target) return;
      entry.link = *target;
    } else {
      return;
    }
    tree_.newest_ns = std::max({tree_.newest_ns, entry.changed_ns, entry.modified_ns});
    tree_.entries.push_back(std::move(entry));
  }

  // Where it leads in the end, as a relative link; nullopt: out of the folder, or in a circle.
  std::optional<std::string> target_of(int folder, const std::string& name,
                                       const std::string& whole) const {
    const auto found = os::walk({.roots = std::span(&root_, 1), .from = &root_, .below = whole});
    if (found) {
      const fs::path at = (fs::path(root_.path) / whole).parent_path();
      return fs::path(found->path).lexically_relative(at).string();
    }
    if (found.error().why != os::Stopped::Why::kError || found.error().error != ENOENT) {
      return std::nullopt;
    }
    std::string text(PATH_MAX, '\0');  // it dangles, on the way to its target
    const ssize_t size = ::readlinkat(folder, name.c_str(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (text.empty() || text.front() == '/') return std::nullopt;
    const std::string lexical =
        os::normal_path((fs::path(root_.path) / whole).parent_path().string() + "/" + text);
    return os::is_below(lexical, root_.path) ? std::optional(text) : std::nullopt;
  }

  const fs::path& folder_;
  const std::string& prefix_;
  os::UniqueFd top_;
  os::Root root_;
  Tree tree_;
};

}  // namespace

std::unexpected<Refusal> refuse_unreadable(const fs::path& path, int error) {
  return refuse("env.unreadable", {{"folder", flatten_controls(to_utf8(path.string()))},
                                   {"reason", os::errno_text(error)}});
}

Result<Tree> look_at_tree(const fs::path& folder, const std::string& prefix) {
  return Look(folder, prefix).run();
}

void remove_tree(const fs::path& folder) {
  std::error_code ignored;
  ::chmod(folder.c_str(), 0700);
  fs::recursive_directory_iterator at(folder, ignored), end;
  for (; !ignored && at != end; at.increment(ignored)) {
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      ::chmod(at->path().c_str(), 0700);  // before the iterator goes into it
    }
  }
  fs::remove_all(folder, ignored);
}

}  // namespace helve::workspace::detail
