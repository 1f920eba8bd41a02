// http/testing/client.h
//
// A client that sends exactly the bytes it is told to, and waits for what comes back. Blocking,
// never longer than ten seconds.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "os/fd.h"

namespace helve::http {

struct Reply {
  int status = 0;    // 0: the connection ended before an answer
  std::string head;  // with the status line, without the empty line
  std::string body;  // without its chunks
};

class Client {
 public:
  Client();  // not connected yet
  explicit Client(const std::string& address);

  void connect(const std::string& address);

  // False if the server does not take it any more.
  bool send(std::string_view bytes);
  Reply read_reply(bool head_only = false);
  Reply ask(std::string_view bytes);  // send() and read_reply()
  std::string read_some();            // "" at the end or a reset
  std::string read_exactly(size_t size);
  std::string read_to_end();
  bool has_ended();  // true at once or within ten seconds; false if bytes come instead
  bool is_quiet_for(std::chrono::milliseconds time);  // neither bytes nor an end come
  void end_sending();
  void close() { fd_.reset(); }
  void reset();  // closes with a reset
  int fd() const { return fd_.get(); }

 private:
  bool fill();
  std::string take_until(std::string_view mark);
  std::string take(size_t size);

  os::UniqueFd fd_;
  std::string held_;
};

}  // namespace helve::http
