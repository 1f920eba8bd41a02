// tool/cancellation.h
//
// A flag that is raised once, by whoever cancels a call, with the grace that its cause gives
// (decisions, section 5). The tool hooks itself in and ends what it started. Loop thread only.
#pragma once

#include <functional>

#include "base/time.h"

namespace helve::tool {

class Cancellation {
 public:
  bool requested() const { return requested_; }
  Duration grace() const { return grace_; }
  void request(Duration grace);
  // `react` runs at once if already requested. One listener; empty unhooks.
  void on_request(std::function<void(Duration grace)> react);

 private:
  bool requested_ = false;
  Duration grace_{0};
  std::function<void(Duration)> react_;
};

}  // namespace helve::tool
