// mcp/sink.h
//
// Where the messages for one client go, one JSON text each, without a line end. A transport
// implements it; the core calls it on the loop thread. A sink that is let go of without an answer
// had nothing to answer: a notification, a response, or a request that was cancelled.
#pragma once

#include <string>

namespace helve::mcp {

class Sink {
 public:
  virtual ~Sink() = default;
  // A response, which ends its request. `error_code`: of JSON-RPC, 0 for a result and for the
  // answers of a batch.
  virtual void answer(std::string message, int error_code = 0) = 0;
  // What belongs to a request or subscription that is not answered yet: notifications, and requests
  // of ours to the client.
  virtual void notify(std::string message) = 0;
  // The client does not keep up: what may be left out (progress, log messages) is.
  virtual bool congested() const { return false; }
};

}  // namespace helve::mcp
