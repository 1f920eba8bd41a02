// http/server.h
//
// An HTTP/1.1 server: keep-alive and pipelines, whole and streamed answers, bounds on everything
// that a client can make grow, and an orderly end. What is said over it is the Handler's. Beast
// stays inside the .cpp files. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/refusal.h"
#include "base/time.h"
#include "http/message.h"
#include "os/loop.h"

namespace helve::http {

// A request under way and the answer to it: respond() once, or stream(), any number of write() and
// finish(). None of them blocks; what the client does not take yet waits here. An Exchange that is
// let go without an answer closes its connection.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual Request& request() = 0;

  virtual void respond(Response response) = 0;
  virtual void stream(Response head) = 0;  // its body, if any, is the first piece
  virtual void write(std::string piece) = 0;
  virtual void finish() = 0;

  // Bytes of this answer that the client has not taken yet.
  virtual size_t waiting_bytes() const = 0;

  // `react` runs once if the client goes away before the answer is complete: it closed its side,
  // the connection broke, or it took nothing for too long. At once if that is so already. What is
  // written afterwards is dropped where it cannot be sent: a client that closed only its sending
  // half still gets its answer.
  virtual void on_gone(std::function<void()> react) = 0;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Looks at a request before its body is read (body is empty). An answer here refuses it: nothing
  // more is read, and the connection closes behind the answer.
  virtual std::optional<Response> admit(const Request& head) = 0;
  virtual void handle(std::shared_ptr<Exchange> exchange) = 0;
  // The answer to what is no request at all, or is over a limit: {status, rule, arguments}.
  virtual Response refuse_broken(unsigned status, const Refusal& why) = 0;
};

struct Limits {
  std::uint32_t header_bytes = 16 * 1024;
  std::uint64_t body_bytes = 32ULL * 1024 * 1024;
  std::uint64_t all_bodies_bytes = 256ULL * 1024 * 1024;  // being read at one time; beyond: 503
  size_t connections = 16 * 1024;                         // beyond: the oldest idle one is closed
  size_t unsent_bytes = 16ULL * 1024 * 1024;  // of one answer that nobody reads; beyond: closed
  Duration header_time = std::chrono::seconds(10);  // from the first byte to the end of the header
  Duration body_time = std::chrono::seconds(30);   // without a byte of the body, or behind its pace
  std::uint64_t body_pace = 16 * 1024;             // bytes a second
  Duration idle_time = std::chrono::seconds(75);   // between two requests
  Duration write_time = std::chrono::seconds(30);  // in which the client takes nothing
};

class Server {
 public:
  // `handler` outlives the server.
  Server(os::Loop& loop, Handler& handler, Limits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Starts to accept. `address` is "127.0.0.1:7717", "[::1]:0" or "localhost:7717"; port 0 takes a
  // free one. Gives the address that it listens on. May be called for several addresses.
  // Refused: http.address_invalid {address}, http.listen_failed {address, reason}.
  Result<std::string> listen(const std::string& address);

  size_t connections() const;

  // Accepts no more and closes idle connections at once; requests under way have until `latest` to
  // complete, then they are closed. Returns when no connection is left.
  boost::asio::awaitable<void> close(Clock::time_point latest);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::http
