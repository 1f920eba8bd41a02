#include "os/made_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <iterator>

#include "os/fd.h"

namespace helve::os {

void MadeFolders::add(std::string name, const struct stat& status) {
  made_.push_back({std::move(name), status.st_dev, status.st_ino});
}

void MadeFolders::add(MadeFolders more) {
  made_.insert(made_.end(), std::make_move_iterator(more.made_.begin()),
               std::make_move_iterator(more.made_.end()));
}

void MadeFolders::remove(int inmost) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  UniqueFd held;
  int folder = inmost;
  for (; !made_.empty(); made_.pop_back()) {
    const Made& last = made_.back();
    UniqueFd above(::openat(folder, "..", kFlags));
    struct stat there{};
    // By its name above it: it may have been moved, and another put in its place.
    const bool found =
        above && ::fstatat(above.get(), last.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (!found || there.st_dev != last.device || there.st_ino != last.inode) break;
    if (::unlinkat(above.get(), last.name.c_str(), AT_REMOVEDIR) != 0) break;
    held = std::move(above);
    folder = held.get();
  }
  made_.clear();
}

}  // namespace helve::os
