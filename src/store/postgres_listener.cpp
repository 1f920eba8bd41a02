#include "store/detail/postgres_listener.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/texts.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(200);
constexpr Duration kLongestPause = std::chrono::seconds(5);
constexpr Duration kQuiet = std::chrono::seconds(30);  // then it asks whether the server is there

}  // namespace

PostgresListener::PostgresListener(os::Loop& loop, const PostgresShared& shared,
                                   std::function<void()> react)
    : loop_(loop), shared_(shared), heard_(std::make_shared<Heard>()) {
  heard_->react = std::move(react);
}

Result<void> PostgresListener::start() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return {};
  if (closed_) return unavailable(text("store.closing"));
  if (auto connected = connect(); !connected) return connected;
  thread_ = std::thread([this] { listen(); });
  return {};
}

void PostgresListener::close() {
  heard_->react = nullptr;
  shared_.stop.set();
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (thread_.joinable()) thread_.join();
  thread_ = {};
}

Result<void> PostgresListener::connect() {
  auto made = PostgresConnection::connect(shared_.at, shared_.stop);
  if (!made) return std::unexpected(made.error());
  const auto listening = (*made)->script("LISTEN helve_changes");
  if (!listening) return std::unexpected(listening.error());
  connection_ = *std::move(made);
  return {};
}

void PostgresListener::listen() {
  while (!shared_.stop.is_set()) {
    if (!connection_ || !connection_->usable()) reconnect();
    if (connection_) hear();
  }
  connection_.reset();
}

void PostgresListener::reconnect() {
  connection_.reset();
  for (Duration pause = kFirstPause; !connection_; pause = std::min(2 * pause, kLongestPause)) {
    if (shared_.stop.wait(-1, 0, Clock::now() + pause) == Woken::kStopped) return;
    if (connect()) tell();
  }
}

// What came along with an answer is already read, so it looks before it waits.
void PostgresListener::hear() {
  if (connection_->take_notifications()) tell();
  if (!connection_->usable()) return;
  const Woken woken = shared_.stop.wait(connection_->socket(), POLLIN, Clock::now() + kQuiet);
  if (woken == Woken::kLate) connection_->ping();
}

void PostgresListener::tell() {
  if (heard_->posted.exchange(true)) return;
  boost::asio::post(loop_.context(), [heard = heard_] {
    heard->posted = false;
    if (const auto react = heard->react) react();
  });
}

}  // namespace helve::store
