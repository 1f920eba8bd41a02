#include "mcp/detail/http_pulse.h"

namespace helve::mcp {

Pulse::Pulse(const boost::asio::any_io_executor& executor, Duration period)
    : timer_(executor), period_(period) {}

Pulse::Entry Pulse::add(Beating& waiting) {
  arm();
  return waiting_.insert(waiting_.end(), &waiting);
}

std::vector<std::shared_ptr<Beating>> Pulse::all() const {
  std::vector<std::shared_ptr<Beating>> found;
  for (Beating* const waiting : waiting_) {
    if (auto held = waiting->weak_from_this().lock()) found.push_back(std::move(held));
  }
  return found;
}

void Pulse::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Pulse::arm() {
  if (armed_ || stopped_) return;
  armed_ = true;
  timer_.expires_after(period_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code&) {
    self->armed_ = false;
    if (!self->stopped_) self->beat();
  });
}

void Pulse::beat() {
  const auto now = Clock::now();
  for (const auto& waiting : all()) waiting->tick(now);
  const bool more = also && also(now);
  if (more || !waiting_.empty()) arm();
}

}  // namespace helve::mcp
