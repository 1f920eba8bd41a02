// mcp/detail/http_pulse.h
//
// One timer for everything of a face that waits: streams that must not be silent for too long,
// sessions that are not used any more. It runs only while there is something to look after. Loop
// thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "base/time.h"

namespace helve::mcp {

// Something that waits. It takes itself out of the pulse.
class Beating : public std::enable_shared_from_this<Beating> {
 public:
  virtual ~Beating() = default;
  virtual void tick(Clock::time_point now) = 0;
  virtual void let_go() {}  // ends its connection if its client can come back for the rest
  virtual void end() = 0;   // the face ends
};

class Pulse : public std::enable_shared_from_this<Pulse> {
 public:
  using Entry = std::list<Beating*>::iterator;

  Pulse(const boost::asio::any_io_executor& executor, Duration period);

  Entry add(Beating& waiting);
  void remove(Entry entry) { waiting_.erase(entry); }
  std::vector<std::shared_ptr<Beating>> all() const;
  size_t size() const { return waiting_.size(); }

  // Called with every beat; while it says true, the pulse goes on with nothing else waiting.
  std::function<bool(Clock::time_point now)> also;
  void wake() { arm(); }
  void stop();

 private:
  void arm();
  void beat();

  boost::asio::steady_timer timer_;
  Duration period_;
  std::list<Beating*> waiting_;
  bool armed_ = false, stopped_ = false;
};

}  // namespace helve::mcp
