#include "tool/job_log.h"

#include <algorithm>

#include "base/encoded.h"
#include "base/text.h"
#include "tool/detail/disk_log.h"

namespace helve::tool {
namespace {

constexpr size_t kSlack = size_t{64} * 1024;  // the tail is cut once so much is too much
constexpr size_t kLastLine = 200;
constexpr int kTries = 3;  // to read what the ring may be overwriting

}  // namespace

JobLog::JobLog() = default;
JobLog::~JobLog() = default;

void JobLog::add(std::string_view text) {
  if (is_utf8(text)) return add_rendered(text);
  add_rendered(to_utf8(text));
}

void JobLog::add_rendered(std::string_view text) {
  if (text.empty()) return;
  const bool fits = end_ + text.size() <= kHead + kTail;
  if (disk_ && !writes_ && !fits) keep();
  if (writes_) disk_->add(end_, text);
  remember(text);
  growth_.wake_all();
}

void JobLog::remember(std::string_view text) {
  end_ += text.size();
  if (!head_full_) {
    const size_t fits = utf8_floor(text, kHead - head_.size());
    head_ += text.substr(0, fits);
    text.remove_prefix(fits);
    head_full_ = !text.empty() || head_.size() == kHead;
  }
  if (text.size() >= kTail) {
    tail_.clear();
    text.remove_prefix(utf8_ceil(text, text.size() - kTail));
  }
  tail_ += text;
  if (tail_.size() < kTail + kSlack) return;
  tail_.erase(0, utf8_ceil(tail_, tail_.size() - kTail));
}

bool JobLog::is_behind() const { return disk_ && writes_ && disk_->is_behind(); }

void JobLog::on_room(const Wake& wake) {
  if (disk_) disk_->on_room(wake);
}

void JobLog::spill_to(std::shared_ptr<DiskLog> disk) { disk_ = std::move(disk); }

void JobLog::keep() {
  if (!disk_ || writes_) return;
  writes_ = true;  // until now, nothing that memory had was lost
  disk_->add(0, head_);
  disk_->add(head_.size(), tail_);
}

void JobLog::open(std::shared_ptr<DiskLog> disk) {
  disk_ = std::move(disk);
  end_ = disk_->ranges().last();
}

std::vector<JobLog::Piece> JobLog::in_memory() const {
  std::vector<Piece> pieces = {{0, head_}, {end_ - tail_.size(), tail_}};
  if (disk_) {
    for (const auto& each : {disk_->writing(), disk_->pending()}) {
      pieces.push_back({each.at, each.bytes});
    }
  }
  return pieces;
}

std::string JobLog::gather(std::uint64_t from, size_t most) const {
  std::string out;
  const auto pieces = in_memory();
  const auto has = [&](const Piece& piece) {
    const std::uint64_t at = from + out.size();
    return piece.start <= at && at < piece.start + piece.bytes.size();
  };
  while (out.size() < most) {
    const auto piece = std::ranges::find_if(pieces, has);
    if (piece == pieces.end()) break;
    const size_t at = static_cast<size_t>(from + out.size() - piece->start);
    out += piece->bytes.substr(at, most - out.size());
  }
  return out;
}

// The first byte from `cursor` on that there is.
std::uint64_t JobLog::next_kept(std::uint64_t cursor, bool with_disk) const {
  std::uint64_t next = end_;
  const auto offer = [&](std::uint64_t start, std::uint64_t end) {
    if (cursor < end) next = std::min(next, std::max(cursor, start));
  };
  for (const Piece& piece : in_memory()) offer(piece.start, piece.start + piece.bytes.size());
  if (with_disk && disk_) {
    offer(0, disk_->ranges().head);
    offer(disk_->ranges().start, disk_->ranges().end);
  }
  return next;
}

std::uint64_t JobLog::dropped() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;
  for (const Piece& piece : in_memory()) {
    kept.emplace_back(piece.start, piece.start + piece.bytes.size());
  }
  if (disk_) {
    kept.emplace_back(0, disk_->ranges().head);
    kept.emplace_back(disk_->ranges().start, disk_->ranges().end);
  }
  std::ranges::sort(kept);
  std::uint64_t gone = 0, at = 0;
  for (const auto& [start, end] : kept) {
    if (end <= at) continue;
    gone += std::max(start, at) - at;
    at = end;
  }
  return gone + end_ - std::min(end_, at);
}

JobLog::Page JobLog::page(std::uint64_t cursor, std::uint64_t from, std::string_view raw,
                          PageSize size) const {
  const auto begin =
      static_cast<size_t>(std::ranges::find_if_not(raw, continues_character) - raw.begin());
  const bool to_the_end = from + raw.size() == end_;
  std::string_view text = raw.substr(begin, size.bytes);
  if (!to_the_end || begin + text.size() < raw.size()) text = text.substr(0, utf8_whole(text));
  text = encoded_prefix(text, size.encoded);
  if (from + begin + text.size() < end_) {
    if (const size_t line = text.rfind('\n'); line != std::string_view::npos) {
      text = text.substr(0, line + 1);
    }
  }
  const bool jumped = from > cursor;
  return {.text = std::string(text),
          .skipped = jumped ? from + begin - cursor : 0,
          .from = from + begin,
          .next = from + begin + text.size()};
}

JobLog::Page JobLog::read(std::uint64_t cursor, size_t budget) const {
  cursor = std::min(cursor, end_);
  const std::uint64_t from = next_kept(cursor, false);
  return page(cursor, from, gather(from, budget), {.bytes = budget, .encoded = budget});
}

boost::asio::awaitable<JobLog::Page> JobLog::fetch(std::uint64_t cursor, PageSize size) {
  cursor = std::min(cursor, end_);
  std::uint64_t from = cursor;
  for (int tries = 0; tries < kTries; ++tries) {
    from = next_kept(from, true);
    std::string raw = gather(from, size.bytes);
    const bool enough = raw.size() >= size.bytes || from + raw.size() == end_;
    if (!enough && disk_ && disk_->ranges().has(from + raw.size())) {
      raw = co_await disk_->read(from, size.bytes);
      if (raw.size() < size.bytes) raw += gather(from + raw.size(), size.bytes - raw.size());
    }
    Page found = page(cursor, from, raw, size);
    if (!found.text.empty() || from == end_) co_return found;
    from += raw.size();  // one part of a character in front of a gap, or gone meanwhile
  }
  Page found = read(from, size.encoded);
  found.skipped += from - cursor;
  co_return found;
}

std::string JobLog::last_line() const {
  std::string_view all = tail_.empty() ? head_ : tail_;
  while (all.ends_with('\n')) all.remove_suffix(1);
  all = all.substr(all.rfind('\n') + 1);
  return std::string(all.substr(0, utf8_floor(all, kLastLine)));
}

}  // namespace helve::tool
