// host/reload.h
//
// Reads the configuration again whenever one of its files has changed. A configuration with errors
// is reported in the words of `check` and otherwise ignored: what was good before stays. Reading is
// done on the pool, so that calls go on meanwhile. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "host/config.h"
#include "host/console.h"
#include "os/folder_watch.h"
#include "os/loop.h"

namespace helve::host {

// `locations` with the root that holds now, so that a helve.json which appears later, nearer by,
// moves nothing under a running server.
Locations pinned(const Locations& locations, const Surroundings& around);

// The files that make up the configuration, whether they are there or not.
std::vector<os::WatchSpot> spots_of(const Locations& locations, const Surroundings& around);

class Reload {
 public:
  // `good` gets each configuration without errors, from the loop. It may end this Reload. Problems
  // go to console.err, which outlives it.
  Reload(os::Loop& loop, const Locations& locations, Surroundings around, Console& console,
         std::function<void(Config)> good, os::WatchSettings settings = {});
  ~Reload();
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::host
