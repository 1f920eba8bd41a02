// http/detail/exchange.h
//
// The exchange that a handler sees: a request, and a hold on the connection that it came by. It
// may outlive both the connection and the server; then it does nothing. Loop thread only.
#pragma once

#include <memory>

#include "http/detail/connection.h"

namespace helve::http {

class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(std::shared_ptr<Connection> connection, Request request);
  ~ConnectionExchange() override;

  Request& request() override { return request_; }
  void respond(Response response) override;
  void stream(Response head) override;
  void write(std::string piece) override;
  void finish() override;
  size_t waiting_bytes() const override;
  void on_gone(std::function<void()> react) override;

 private:
  bool is_current() const { return connection_->serves(this); }

  const std::shared_ptr<Connection> connection_;
  Request request_;
  enum class Stage { kOpen, kStreaming, kDone } stage_ = Stage::kOpen;
};

}  // namespace helve::http
