#include "tool/session.h"

#include <algorithm>

#include "base/ids.h"

namespace helve::tool {
namespace {

constexpr size_t kMostHandles = 1000;
constexpr size_t kMostApprovals = 1000;

}  // namespace

Session::Session(Memory memory, std::string principal)
    : id_(new_handle("session")),
      principal_(principal.empty() ? id_ : std::move(principal)),
      memory_(memory) {}

void Session::open_call(std::shared_ptr<Cancellation> call, bool detached) {
  calls_.push_back({std::move(call), detached});
  if (ended_) calls_.back().cancellation->request(*ended_);
}

void Session::close_call(const std::shared_ptr<Cancellation>& call) {
  calls_.remove_if([&](const Open& open) { return open.cancellation == call; });
  if (calls_.empty() && idle_) std::exchange(idle_, nullptr)();
}

void Session::own(std::string handle) {
  handles_.push_back(std::move(handle));
  if (handles_.size() > kMostHandles) handles_.pop_front();
}

bool Session::owns(std::string_view handle) const {
  return std::find(handles_.begin(), handles_.end(), handle) != handles_.end();
}

void Session::remember(const std::string& digest) {
  if (remembers() && approved_.size() < kMostApprovals) approved_.insert(digest);
}

void Session::end(Duration grace, bool host_ends) {
  ended_ = grace;
  // A reaction may close its call and so change the list under the loop.
  const auto calls = calls_;
  for (const Open& open : calls) {
    if (!open.detached || host_ends) open.cancellation->request(grace);
  }
}

void Session::when_idle(std::function<void()> react) {
  if (calls_.empty()) return react();
  idle_ = std::move(react);
}

}  // namespace helve::tool
