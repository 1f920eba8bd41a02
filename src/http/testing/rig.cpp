#include "http/testing/rig.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "base/texts.h"

namespace helve::http {

Rig::Rig(Limits limits, Handle handle)
    : handle_(std::move(handle)), server_(std::make_unique<Server>(loop_, *this, limits)) {
  const Result<std::string> address = server_->listen("127.0.0.1:0");
  EXPECT_TRUE(address);
  address_ = address.value_or("");
  thread_ = std::thread([this] { loop_.run(); });
}

Rig::~Rig() {  // NOLINT(bugprone-exception-escape): a test that cannot post or join is over
  // Posted without waiting: after close() the loop may have ended by itself.
  boost::asio::post(loop_.context(), [this] { server_.reset(); });
  thread_.join();
  server_.reset();
}

void Rig::on_loop(const std::function<void()>& work) {
  std::promise<void> done;
  boost::asio::post(loop_.context(), [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

size_t Rig::connections() {
  size_t count = 0;
  on_loop([&] { count = server_->connections(); });
  return count;
}

bool Rig::comes_to(size_t connections) {
  for (int i = 0; i < 2000; ++i) {
    if (this->connections() == connections) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::future<void> Rig::close(Duration time) {
  auto done = std::make_shared<std::promise<void>>();
  loop_.spawn([this, time, done]() -> boost::asio::awaitable<void> {
    co_await server_->close(Clock::now() + time);
    done->set_value();
  });
  return done->get_future();
}

void Rig::echo(const std::shared_ptr<Exchange>& exchange) {
  const Request& request = exchange->request();
  Response response;
  response.body = request.method + ' ' + request.path;
  if (!request.query.empty()) response.body += '?' + request.query;
  response.body += ' ' + request.body;
  exchange->respond(std::move(response));
}

std::optional<Response> Rig::admit(const Request& head) {
  EXPECT_TRUE(head.body.empty());
  return admits ? admits(head) : std::nullopt;
}

void Rig::handle(std::shared_ptr<Exchange> exchange) { handle_(std::move(exchange)); }

Response Rig::refuse_broken(unsigned status, const Refusal& why) {
  EXPECT_FALSE(render_text(why).contains('{')) << render_text(why);
  return {.status = status, .body = why.rule};
}

}  // namespace helve::http
