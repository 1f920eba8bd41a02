// How a connection makes requests of what it reads.
#include <algorithm>

#include "http/detail/connection.h"
#include "http/detail/exchange.h"

namespace helve::http {

void Connection::take(std::string_view bytes) {
  const std::shared_ptr<Connection> self = shared_from_this();
  taking_ = true;
  Reader::Step step = Reader::Step::kHead;
  while (stage_ < Stage::kAnswering && step != Reader::Step::kMore) {
    step = reader_.read(bytes);
    if (step == Reader::Step::kHead) on_head(!bytes.empty());
    if (step == Reader::Step::kWhole) on_whole();
    if (step == Reader::Step::kBroken) refuse(reader_.broken());
  }
  taking_ = false;
  if (stage_ == Stage::kAnswering && !last_) ahead_ = bytes;
  if (stage_ < Stage::kAnswering) wait_for_more(Clock::now());
}

void Connection::take_ahead() {
  if (stage_ != Stage::kIdle) return;
  const std::string bytes = std::exchange(ahead_, {});
  take(bytes);
  arm_read();
}

void Connection::wait_for_more(Clock::time_point now) {
  if (ended_) return close();
  if (stage_ == Stage::kBody) {
    if (!charge_body()) {
      return refuse({503, helve::refuse("http.bodies_too_large").error()});
    }
    due_ = body_due(now);
  } else if (stage_ == Stage::kIdle && reader_.has_begun()) {
    stage_ = Stage::kHead;
    due_ = now + registry_->limits().header_time;
  }
}

void Connection::on_head(bool more_is_here) {
  const Framing& framing = reader_.framing();
  reader_.request().remote = remote_;
  registry_->turn_busy(place_);
  stage_ = Stage::kBody;
  if (auto refused = registry_->handler().admit(reader_.request())) {
    return refuse(*std::move(refused));
  }
  const std::uint64_t limit = registry_->limits().body_bytes;
  if (framing.length > limit) {
    return refuse(
        {413, helve::refuse("http.body_too_large", {{"limit", std::to_string(limit)}}).error()});
  }
  body_began_ = Clock::now();
  if (framing.expects_continue && !more_is_here) send({"HTTP/1.1 100 Continue\r\n\r\n"});
}

void Connection::on_whole() {
  discharge();
  stage_ = Stage::kAnswering;
  finished_ = last_ = false;
  gone_ = ended_;
  const auto exchange =
      std::make_shared<ConnectionExchange>(shared_from_this(), std::move(reader_.request()));
  current_ = exchange.get();
  registry_->handler().handle(exchange);
}

// A body that comes drop by drop would hold its place for ever.
Clock::time_point Connection::body_due(Clock::time_point now) const {
  const Limits& limits = registry_->limits();
  const std::chrono::seconds earned(reader_.body_size() / limits.body_pace);
  return std::min(now, body_began_ + earned) + limits.body_time;
}

// Charged as it comes: a length that is only declared must keep nobody else out.
bool Connection::charge_body() {
  const std::uint64_t size = reader_.body_size();
  if (size <= charged_) return true;
  if (!registry_->charge(size - charged_)) return false;
  charged_ = size;
  return true;
}

void Connection::discharge() { registry_->release(std::exchange(charged_, 0)); }

void Connection::refuse(const Broken& broken) {
  Response response = registry_->handler().refuse_broken(broken.status, broken.why);
  if (broken.status == 503 && !response.headers.find("Retry-After")) {
    response.headers.add("Retry-After", "1");
  }
  refuse(std::move(response));
}

void Connection::refuse(Response response) {
  if (stage_ == Stage::kClosed) return;
  discharge();
  if (!is_busy()) registry_->turn_busy(place_);
  stage_ = Stage::kAnswering;
  last_ = true;
  respond(std::move(response));
}

}  // namespace helve::http
