// http/detail/listener.h
//
// A listening socket: what it accepts goes to the registry. Without a free descriptor it gives up
// its spare one to accept and close, so that clients see an end and the loop does not spin. Loop
// thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "http/detail/registry.h"
#include "os/watch.h"

namespace helve::http {

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  explicit Listener(std::shared_ptr<Registry> registry);

  // As Server::listen().
  Result<std::string> open(const std::string& address);
  void close();

 private:
  void arm();
  void accept_some();
  bool accept_one();
  void drop_some();
  void rest();

  const std::shared_ptr<Registry> registry_;
  os::Watch watch_;
  os::UniqueFd spare_;
  boost::asio::steady_timer pause_;
};

}  // namespace helve::http
