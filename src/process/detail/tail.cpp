#include "process/detail/tail.h"

#include <algorithm>

namespace helve::process {
namespace {

constexpr size_t kFirst = 4 * 1024;
constexpr size_t kSlack = 128 * 1024;  // beyond the limit, so that reads stay large
constexpr size_t kMostAtOnce = 256 * 1024;

}  // namespace

std::span<char> Tail::room() {
  const size_t full = limit_ + kSlack;
  if (next_ == data_.size()) {
    if (data_.size() < full) {
      data_.resize(std::min(full, std::max(kFirst, data_.size() * 4)));
    } else {
      next_ = 0;
    }
  }
  // One read must not overwrite more than the slack, or the end would be shorter than promised.
  const size_t most = held_ < full ? kMostAtOnce : kSlack;
  return {data_.data() + next_, std::min(most, data_.size() - next_)};
}

std::string_view Tail::advance(size_t count) {
  const std::string_view fresh(data_.data() + next_, count);
  next_ += count;
  total_ += count;
  held_ = std::min(data_.size(), held_ + count);
  return fresh;
}

std::string Tail::take() {
  const bool turned = held_ == limit_ + kSlack;
  if (turned)
    std::rotate(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(next_), data_.end());
  data_.resize(turned ? data_.size() : next_);
  if (data_.size() > limit_) data_.erase(0, data_.size() - limit_);
  if (data_.capacity() > 2 * data_.size()) data_.shrink_to_fit();
  return std::move(data_);
}

}  // namespace helve::process
