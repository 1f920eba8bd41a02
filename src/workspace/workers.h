// workspace/workers.h
//
// The threads that touch files for the tools, so that the loop never waits for a disk (WS-8). A
// session has at most eight pieces of work under way; more wait their turn, in order. With
// Reach::kRoots the threads are fenced in by Landlock, a second fence behind workspace/paths.h
// (WS-66). Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "os/loop.h"
#include "tool/session.h"
#include "workspace/settings.h"

namespace helve::workspace {

class Workers {
 public:
  static constexpr std::size_t kMostOfSession = 8;

  Workers(os::Loop& loop, const Settings& settings);
  ~Workers();  // waits for work under way

  // Runs `work` on one of the threads, then goes on in the loop. An exception out of `work` comes
  // out here.
  boost::asio::awaitable<void> run(tool::Session& session, std::function<void()> work);

  bool fenced() const;  // Landlock holds them

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::workspace
