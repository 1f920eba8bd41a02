// http/message.h
//
// One HTTP request and one answer, as values. Names of headers compare without case. Plain values;
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::http {

struct Header {
  std::string name, value;
};

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> all) : all_(all) {}

  void add(std::string name, std::string value) {
    all_.push_back({std::move(name), std::move(value)});
  }
  void set(std::string name, std::string value);  // takes the place of all of that name
  // The value of the first of that name, without blanks around it; nullopt if there is none.
  std::optional<std::string_view> find(std::string_view name) const;
  size_t count(std::string_view name) const;
  const std::vector<Header>& all() const { return all_; }

 private:
  std::vector<Header> all_;
};

struct Request {
  std::string method;  // as sent: "POST"
  std::string path;    // of the target, without the query, not decoded: "/mcp"
  std::string query;   // behind "?", not decoded
  Headers headers;
  std::string body;
  std::string remote;  // address of the other side, "127.0.0.1:40000"
};

struct Response {
  unsigned status = 200;
  Headers headers;
  std::string body;
};

}  // namespace helve::http
