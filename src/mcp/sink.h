// mcp/sink.h
//
// Where the messages for one client go, one JSON text each, without a line end. A transport
// implements it; the core calls it on the loop thread.
#pragma once

#include <string>

namespace helve::mcp {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void answer(std::string message) = 0;  // a response: ends its request
  virtual void notify(std::string message) = 0;  // a notification about a request or subscription
  // The client does not keep up: what may be left out (progress) is.
  virtual bool congested() const { return false; }
};

}  // namespace helve::mcp
