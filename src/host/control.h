// host/control.h
//
// How the owner reaches the jobs of a running daemon: a Unix socket STATE/control/PID.sock, in a
// folder of mode 0700, for processes of the same user and of root alone. One request per connection
// (host/detail/control_lines.h): list all jobs of all sessions, follow one, stop one. It never
// keeps the daemon from serving: what fails here is told once on console.err. Loop thread only.
#pragma once

#include <filesystem>
#include <memory>

#include "host/console.h"
#include "os/loop.h"
#include "tool/sessions.h"

namespace helve::host {

class Control {
 public:
  // `sessions` outlives it; `console` is used only here. Removes the sockets of daemons that died.
  Control(os::Loop& loop, tool::Sessions& sessions, const std::filesystem::path& state,
          Console& console);
  ~Control();  // nothing of it keeps the loop from then on
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::host
