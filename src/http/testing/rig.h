// http/testing/rig.h
//
// A server on a loop of its own thread, with a handler that does what the test says. Broken
// requests are answered with their rule as the body.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "http/server.h"

namespace helve::http {

class Rig : public Handler {
 public:
  using Handle = std::function<void(std::shared_ptr<Exchange>)>;

  // Without `handle` each request is answered with "METHOD path?query body".
  explicit Rig(Limits limits = {}, Handle handle = echo);
  ~Rig() override;

  const std::string& address() const { return address_; }

  // Runs `work` on the loop and waits for it.
  void on_loop(const std::function<void()>& work);
  Server& server() { return *server_; }  // from on_loop() only
  os::Loop& loop() { return loop_; }
  size_t connections();
  // Until that many connections are open; false after ten seconds.
  bool comes_to(size_t connections);
  std::future<void> close(Duration time);

  static void echo(const std::shared_ptr<Exchange>& exchange);

  std::function<std::optional<Response>(const Request&)> admits;  // set before the first client

 private:
  std::optional<Response> admit(const Request& head) override;
  void handle(std::shared_ptr<Exchange> exchange) override;
  Response refuse_broken(unsigned status, const Refusal& why) override;

  Handle handle_;
  os::Loop loop_;
  std::unique_ptr<Server> server_;
  std::string address_;
  std::thread thread_;
};

}  // namespace helve::http
