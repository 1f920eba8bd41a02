#include "tool/session.h"

#include <algorithm>

#include "base/ids.h"

namespace helve::tool {
namespace {

constexpr size_t kMostHandles = 1000;

}  // namespace

void Cancellation::request(Duration grace) {
  if (requested_) return;
  requested_ = true;
  grace_ = grace;
  // The reaction may unhook itself, so it runs from a copy.
  if (const auto react = react_) react(grace);
}

void Cancellation::on_request(std::function<void(Duration)> react) {
  react_ = std::move(react);
  if (!requested_ || !react_) return;
  const auto late = react_;
  late(grace_);
}

Session::Session() : id_(new_handle("session")) {}

std::shared_ptr<Cancellation> Session::open_call() {
  return calls_.emplace_back(std::make_shared<Cancellation>());
}

void Session::close_call(const std::shared_ptr<Cancellation>& call) { calls_.remove(call); }

void Session::own(std::string handle) {
  handles_.push_back(std::move(handle));
  if (handles_.size() > kMostHandles) handles_.pop_front();
}

bool Session::owns(std::string_view handle) const {
  return std::find(handles_.begin(), handles_.end(), handle) != handles_.end();
}

void Session::end(Duration grace) {
  // A reaction may close its call and so change the list under the loop.
  const auto calls = calls_;
  for (const auto& call : calls) call->request(grace);
}

}  // namespace helve::tool
