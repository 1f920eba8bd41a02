#include "os/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>

#include "os/detail/watch_set.h"
#include "os/files.h"
#include "os/watch.h"

namespace helve::os {
namespace {

constexpr std::uint32_t kItself = IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kEntries =
    kItself | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB;
constexpr int kMostRounds = 20;  // of looking at files that never rest; then they are told as is

// A folder that went away in the meantime, or that we may not read, tells nothing and is no
// trouble.
bool is_trouble(int error) { return error != ENOENT && error != ENOTDIR && error != EACCES; }

// One descriptor that tells of all the folders; the errno if the system has no more of them.
std::expected<UniqueFd, int> tell_of(const WatchedFolders& folders) {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return std::unexpected(errno);
  for (const auto& [folder, entries] : folders) {
    // Two paths may lead to one folder: the masks add up.
    const std::uint32_t mask = (entries ? kEntries : kItself) | IN_MASK_ADD;
    if (::inotify_add_watch(fd.get(), folder.c_str(), mask) < 0 && is_trouble(errno)) {
      return std::unexpected(errno);
    }
  }
  return fd;
}

// What stays unread came before the look that follows. Never until nothing is left: somebody may
// write faster than we read.
void drain(int fd) {
  constexpr int kMostReads = 4;
  alignas(inotify_event) std::array<char, 16 * 1024> events;
  for (int reads = 0; reads < kMostReads; ++reads) {
    // The lock that it sees is a weak_ptr's.
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
    if (::read(fd, events.data(), events.size()) <= 0) return;
  }
}

}  // namespace

// Waits for a hint or for the time to look, looks, and looks again until the files rest.
class FolderWatch::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, std::vector<WatchSpot> spots, std::function<void()> changed,
        std::function<void(const Refusal&)> trouble, const WatchSettings& settings)
      : spots_(std::move(spots)),
        changed_(std::move(changed)),
        trouble_(std::move(trouble)),
        settings_(settings),
        watch_(loop),
        timer_(std::make_unique<boost::asio::steady_timer>(loop.context())),
        polls_(!settings.inotify) {}

  void start() {
    arm();
    told_ = seen_ = marks_of(spots_);
    wait();
  }

  void stop() {
    watch_.close();
    timer_.reset();  // cancels, and cannot throw
  }

  bool polls() const { return polls_; }

 private:
  void wait() {
    if (polls_) return look_after(settings_.poll);
    if (!watch_.is_open()) return;  // stopped
    watch_.readable([self = weak_from_this()](const boost::system::error_code& error) {
      const auto state = self.lock();
      if (state && !error) state->look_after(state->settings_.settle);
    });
  }

  void look_after(Duration time) {
    if (!timer_) return;
    timer_->expires_after(time);
    timer_->async_wait([self = weak_from_this()](const boost::system::error_code& error) {
      const auto state = self.lock();
      if (state && !error) state->look();
    });
  }

  // The folders first: what changes after that is told, and what changed before is seen.
  void look() {
    if (!timer_) return;
    if (watch_.is_open()) drain(watch_.get());
    arm();
    Marks now = marks_of(spots_);
    const bool moving = now != seen_;
    seen_ = std::move(now);
    if (moving && ++rounds_ < kMostRounds) return look_after(settings_.settle);
    rounds_ = 0;
    tell();
    wait();
  }

  void tell() {
    if (seen_ == told_) return;
    told_ = seen_;
    changed_();
  }

  void arm() {
    if (polls_) return;
    const WatchedFolders folders = folders_to_watch(spots_);
    Marks marks = marks_of(folders);
    if (watch_.is_open() && marks == armed_) return;
    std::expected<UniqueFd, int> fd = tell_of(folders);
    const int error = fd ? watch_.open(*std::move(fd)) : fd.error();
    if (error != 0) return poll_instead(error);
    armed_ = std::move(marks);
  }

  void poll_instead(int error) {
    polls_ = true;
    watch_.close();
    if (trouble_) trouble_(refuse("watch.unavailable", {{"reason", errno_text(error)}}).error());
  }

  const std::vector<WatchSpot> spots_;
  const std::function<void()> changed_;
  const std::function<void(const Refusal&)> trouble_;
  const WatchSettings settings_;
  Watch watch_;
  std::unique_ptr<boost::asio::steady_timer> timer_;  // null once stopped
  Marks armed_;                                       // the folders that tell
  Marks seen_, told_;  // the files at the last look, and when `changed` was last called
  int rounds_ = 0;
  bool polls_ = false;
};

FolderWatch::FolderWatch(Loop& loop, std::vector<WatchSpot> spots, std::function<void()> changed,
                         std::function<void(const Refusal&)> trouble, WatchSettings settings)
    : state_(std::make_shared<State>(loop, std::move(spots), std::move(changed), std::move(trouble),
                                     settings)) {
  state_->start();
}

FolderWatch::~FolderWatch() { state_->stop(); }

bool FolderWatch::polls() const { return state_->polls(); }

}  // namespace helve::os
