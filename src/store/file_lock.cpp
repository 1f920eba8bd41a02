#include "store/detail/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace helve::store {
namespace {

constexpr off_t kWriting = 0, kNext = 1, kPresence = 2;

// Short at first, since most turns are: an fsync. One process at most waits for kWriting.
constexpr Duration kFirstPause = std::chrono::microseconds(200);
constexpr Duration kLongestPause = std::chrono::milliseconds(2);

void pause(Duration time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any none;
  std::unique_lock hold(mutex);
  none.wait_for(hold, stop, time, [] { return false; });
}

}  // namespace

std::expected<FileLock, int> FileLock::open(std::string path) {
  FileLock lock;
  lock.path_ = std::move(path);
  if (!lock.open_again()) return std::unexpected(errno);
  return lock;
}

bool FileLock::open_again() {
  fd_ = os::UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd_) return false;
  if (presence_ != F_UNLCK) try_lock(kPresence, presence_);
  return true;
}

bool FileLock::take_turn(Clock::time_point latest, const std::stop_token& stop) {
  if (!wait_for(kNext, latest, stop)) return false;
  const bool mine = wait_for(kWriting, latest, stop);
  unlock(kNext);
  // Somebody tidied it away: the others agree on another file by now.
  if (mine && is_gone()) return open_again() && take_turn(latest, stop);
  return mine;
}

void FileLock::end_turn() { unlock(kWriting); }

bool FileLock::enter() {
  const bool alone = try_lock(kPresence, F_WRLCK);
  // Fails only while somebody else finds out whether he is alone, which he then is not.
  for (int tries = 0; tries < 1000 && !try_lock(kPresence, F_RDLCK); ++tries) {
    pause(kFirstPause, {});
  }
  presence_ = F_RDLCK;
  return alone;
}

bool FileLock::enter_alone(Clock::time_point latest, const std::stop_token& stop) {
  if (!wait_for(kPresence, latest, stop)) return false;
  presence_ = F_WRLCK;
  return true;
}

bool FileLock::wait_for(off_t byte, Clock::time_point latest, const std::stop_token& stop) const {
  for (Duration time = kFirstPause; !try_lock(byte, F_WRLCK);
       time = std::min(2 * time, kLongestPause)) {
    const Duration left = latest - Clock::now();
    if (left <= Duration::zero() || stop.stop_requested()) return false;
    pause(std::min(time, left), stop);
  }
  return true;
}

bool FileLock::try_lock(off_t byte, int type) const {
  struct flock wanted{};
  wanted.l_type = static_cast<short>(type);
  wanted.l_whence = SEEK_SET;
  wanted.l_start = byte;
  wanted.l_len = 1;
  return ::fcntl(fd_.get(), F_OFD_SETLK, &wanted) == 0;
}

void FileLock::unlock(off_t byte) const { try_lock(byte, F_UNLCK); }

bool FileLock::is_gone() const {
  struct stat status{};
  return ::fstat(fd_.get(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace helve::store
