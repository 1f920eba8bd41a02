// commands/stop.h
//
// The wish to end a part of a run, handed down from whoever has it: the person, a group's timeout,
// a sibling's root failure. A Stop that has a parent stops with it. Loop thread only.
#pragma once

#include <functional>
#include <vector>

#include "base/time.h"

namespace helve::commands {

class Stop {
 public:
  // Told once, at once if the stop was requested before. Ends with its scope.
  class Listener {
   public:
    Listener(Stop& stop, std::function<void(Duration grace)> react);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    friend class Stop;
    Stop& stop_;
    size_t place_ = 0;
    std::function<void(Duration)> react_;
  };

  Stop() = default;
  explicit Stop(Stop& parent) {
    parent_.emplace(parent, [this](Duration grace) { request(grace); });
  }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  bool requested() const { return requested_; }
  Duration grace() const { return grace_; }  // between TERM and KILL

  // A second request can only shorten the grace.
  void request(Duration grace);

 private:
  bool requested_ = false;
  Duration grace_{0};
  std::vector<Listener*> listeners_;
  std::optional<Listener> parent_;
};

}  // namespace helve::commands
