#include "tool/cancellation.h"

namespace helve::tool {

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

}  // namespace helve::tool
