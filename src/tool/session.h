// tool/session.h
//
// One conversation with one agent: what it may point at, and the calls that end with it. Loop
// thread only.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "tool/tool.h"

namespace helve::tool {

class Session {
 public:
  Session();  // with a fresh random id
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& id() const { return id_; }

  // A running call; cancelled with the session.
  std::shared_ptr<Cancellation> open_call();
  void close_call(const std::shared_ptr<Cancellation>& call);
  size_t open_calls() const { return calls_.size(); }

  // The handles that this session minted, such as run_...; beyond 1,000 the oldest are forgotten.
  void own(std::string handle);
  bool owns(std::string_view handle) const;
  const std::deque<std::string>& handles() const { return handles_; }

  // Cancels every open call with `grace`.
  void end(Duration grace);

 private:
  std::string id_;
  std::list<std::shared_ptr<Cancellation>> calls_;
  std::deque<std::string> handles_;
};

}  // namespace helve::tool
