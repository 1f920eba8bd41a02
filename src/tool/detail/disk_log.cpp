#include "tool/detail/disk_log.h"

#include <algorithm>

namespace helve::tool {

bool DiskQuota::take(std::uint64_t bytes) {
  while (used + bytes > most && !ended.empty()) {
    const auto oldest = ended.front().lock();
    ended.pop_front();
    if (oldest) oldest->remove();
  }
  if (used + bytes > most) return false;
  used += bytes;
  return true;
}

DiskLog::DiskLog(os::Loop& loop, std::shared_ptr<LogFiles> files, const LogLimits& limits,
                 std::shared_ptr<DiskQuota> quota)
    : loop_(loop),
      files_(std::move(files)),
      most_(limits.head + limits.ring),
      quota_(std::move(quota)) {}

DiskLog::~DiskLog() {
  quota_->used -= taken_;
  if (outlives_ || taken_ == 0) return;
  files_->go_when_closed();  // where the loop has ended, nobody else does it
  remove_files();
}

std::shared_ptr<DiskLog> DiskLog::of(os::Loop& loop, std::shared_ptr<LogFiles> files,
                                     const LogRanges& ranges) {
  auto log =
      std::make_shared<DiskLog>(loop, std::move(files), LogLimits{}, std::make_shared<DiskQuota>());
  log->ranges_ = ranges;
  log->stopped_ = log->outlives_ = true;
  return log;
}

void DiskLog::add(std::uint64_t at, std::string_view text) {
  if (stopped_ || text.empty()) return;
  if (at_work_ && text.size() > kMostPending) {
    at += text.size() - kMostPending;
    text.remove_prefix(text.size() - kMostPending);
  }
  if (pending_.size() + text.size() > kMostPending || pending_at_ + pending_.size() != at) {
    pending_.clear();
  }
  if (pending_.empty()) pending_at_ = at;
  pending_ += text;
  if (!at_work_ && begin_write()) {
    at_work_ = true;
    loop_.spawn(write());
  }
}

// What is pending is what is written next, if there is room for it.
bool DiskLog::begin_write() {
  if (stopped_ || pending_.empty()) return false;
  const std::uint64_t more = std::min<std::uint64_t>(most_ - taken_, pending_.size());
  if (!quota_->take(more)) {
    stop();
    return false;
  }
  taken_ += more;
  writing_.clear();
  writing_.swap(pending_);
  writing_at_ = pending_at_;
  return true;
}

boost::asio::awaitable<void> DiskLog::write() {
  const auto self = shared_from_this();
  do {
    LogFiles::Written written;
    co_await loop_.on_pool(
        [files = files_, &written, at = writing_at_, bytes = std::string_view(writing_)] {
          written = files->write(at, bytes);
        });
    if (!stopped_) ranges_ = written.ranges;
    if (!written.ok) stop();
    writing_.clear();
    room_.wake_all();
  } while (begin_write());
  at_work_ = false;
}

boost::asio::awaitable<void> DiskLog::settle(Clock::time_point latest) {
  const auto self = shared_from_this();
  const std::uint64_t until =
      std::max(writing_at_ + writing_.size(), pending_at_ + pending_.size());
  while (at_work_ && !stopped_ && ranges_.last() < until && Clock::now() < latest) {
    co_await wait_for(room_, latest);
  }
}

void DiskLog::stop() {
  stopped_ = true;
  pending_ = {};
}

boost::asio::awaitable<std::string> DiskLog::read(std::uint64_t from, size_t most) {
  const auto self = shared_from_this();
  std::string read;
  co_await loop_.on_pool([files = files_, &read, from, most] { read = files->read(from, most); });
  co_return read;
}

void DiskLog::give_way() {
  if (taken_ > 0) quota_->ended.push_back(weak_from_this());
}

void DiskLog::remove() {
  stop();
  ranges_ = {};
  quota_->used -= std::exchange(taken_, 0);
  remove_files();
}

void DiskLog::remove_files() {
  loop_.spawn([&loop = loop_, files = files_]() -> boost::asio::awaitable<void> {
    co_await loop.on_pool([files] { files->remove(); });
  });
}

}  // namespace helve::tool
