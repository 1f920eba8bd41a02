#include "commands/stop.h"

#include <algorithm>

namespace helve::commands {

Stop::Listener::Listener(Stop& stop, std::function<void(Duration)> react)
    : stop_(stop), place_(stop.listeners_.size()), react_(std::move(react)) {
  stop_.listeners_.push_back(this);
  if (stop_.requested_) react_(stop_.grace_);
}

Stop::Listener::~Listener() {
  stop_.listeners_[place_] = stop_.listeners_.back();
  stop_.listeners_[place_]->place_ = place_;
  stop_.listeners_.pop_back();
}

void Stop::request(Duration grace) {
  if (requested_ && grace >= grace_) return;
  requested_ = true;
  grace_ = grace;
  const std::vector<Listener*> told = listeners_;  // a listener may end another while it reacts
  for (Listener* listener : told) {
    if (std::find(listeners_.begin(), listeners_.end(), listener) != listeners_.end()) {
      listener->react_(grace);
    }
  }
}

}  // namespace helve::commands
