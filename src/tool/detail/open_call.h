// tool/detail/open_call.h
//
// What a tool is given, and the session's record that it works.
#pragma once

#include <memory>
#include <utility>

#include "tool/registry.h"

namespace helve::tool {

// A running call of a session, for as long as the tool works.
class OpenCall {
 public:
  OpenCall(Session& session, std::shared_ptr<Cancellation> call, bool detached)
      : session_(session), call_(std::move(call)) {
    session_.open_call(call_, detached);
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  ~OpenCall() { session_.close_call(call_); }

 private:
  Session& session_;
  std::shared_ptr<Cancellation> call_;
};

Call make_call(Session& session, CallRequest& request, JsonObject arguments, policy::Permit permit);

}  // namespace helve::tool
