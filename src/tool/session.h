// tool/session.h
//
// One conversation with one agent: what it may point at, and the calls that end with it. Loop
// thread only.
#pragma once

#include <list>
#include <memory>
#include <string>

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

  // Cancels every open call with `grace`.
  void end(Duration grace);

 private:
  std::string id_;
  std::list<std::shared_ptr<Cancellation>> calls_;
};

}  // namespace helve::tool
