// workspace/locks.h
//
// One writer per file at a time, over all sessions of this host (WS-90) and, by a lock file in the
// state folder, over the other helve processes of this machine. Waiters are served in order. Loop
// thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "base/time.h"
#include "os/loop.h"

namespace helve::workspace {

class Locks {
 public:
  class Held;  // unlocks when it goes
  using Lock = std::shared_ptr<Held>;

  Locks(os::Loop& loop, std::filesystem::path folder);  // of the lock files
  ~Locks();

  // In line with the other calls of this session that were given the same path, whatever it turns
  // out to be: so they see the file, and come to lock(), in their order (WS-92). Refused: file.busy
  // {path} after 5 s.
  boost::asio::awaitable<Result<Lock>> turn(const std::string& session,
                                            const std::filesystem::path& path,
                                            std::string_view shown);

  // Refused: file.busy {path} after 5 s, os::errno_refusal's of the lock file.
  boost::asio::awaitable<Result<Lock>> lock(const std::filesystem::path& real_path,
                                            std::string_view shown);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::workspace
