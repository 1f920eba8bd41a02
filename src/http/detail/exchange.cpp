#include "http/detail/exchange.h"

#include "base/check.h"

namespace helve::http {

ConnectionExchange::ConnectionExchange(std::shared_ptr<Connection> connection, Request request)
    : connection_(std::move(connection)), request_(std::move(request)) {}

ConnectionExchange::~ConnectionExchange() {
  if (is_current() && stage_ != Stage::kDone) connection_->abandon();
}

void ConnectionExchange::respond(Response response) {
  HELVE_CHECK(stage_ == Stage::kOpen);
  stage_ = Stage::kDone;
  if (is_current()) connection_->respond(std::move(response));
}

void ConnectionExchange::stream(Response head) {
  HELVE_CHECK(stage_ == Stage::kOpen);
  stage_ = Stage::kStreaming;
  if (is_current()) connection_->stream(std::move(head));
}

void ConnectionExchange::write(std::string piece) {
  HELVE_CHECK(stage_ == Stage::kStreaming);
  if (is_current()) connection_->write(piece);
}

void ConnectionExchange::finish() {
  HELVE_CHECK(stage_ == Stage::kStreaming);
  stage_ = Stage::kDone;
  if (is_current()) connection_->finish();
}

size_t ConnectionExchange::waiting_bytes() const {
  return is_current() ? connection_->unsent() : 0;
}

void ConnectionExchange::on_gone(std::function<void()> react) {
  if (is_current()) connection_->on_gone(std::move(react));
}

}  // namespace helve::http
