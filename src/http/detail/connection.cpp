#include "http/detail/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>

#include "base/check.h"

namespace helve::http {
namespace {

// What a client may send behind its request before it waits for us.
constexpr size_t kAheadBytes = 16 * 1024;
// After the last answer: closing while bytes come would reset the connection, and a reset can take
// the answer away from the client.
constexpr size_t kDrainBytes = 4 * 1024 * 1024;
constexpr Duration kDrainTime = std::chrono::seconds(2);
constexpr size_t kKeptCapacity = 256;  // of a buffer that is empty

void release_if_large(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kKeptCapacity) std::string().swap(buffer);
}

}  // namespace

Connection::Connection(std::shared_ptr<Registry> registry, os::UniqueFd fd, std::string remote)
    : registry_(std::move(registry)),
      remote_(std::move(remote)),
      reader_(registry_->limits().header_bytes, registry_->limits().body_bytes) {
  watch_ = std::make_unique<os::Watch>(registry_->loop());
  if (watch_->open(std::move(fd)) != 0) watch_.reset();
}

void Connection::start(Connections::iterator place) {
  place_ = place;
  due_ = Clock::now() + registry_->limits().idle_time;
  if (!watch_) return close();
  arm_read();
}

void Connection::tick(Clock::time_point now) {
  if (stage_ == Stage::kClosed) return;
  if (unsent() > 0 && now >= write_due_) return close();
  if (stage_ == Stage::kAnswering || now < due_) return;
  if (stage_ == Stage::kHead) return refuse({408, helve::refuse("http.header_slow").error()});
  if (stage_ == Stage::kBody) return refuse({408, helve::refuse("http.body_slow").error()});
  close();
}

void Connection::close() {
  if (stage_ == Stage::kClosed) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  registry_->remove(place_);
  stage_ = Stage::kClosed;
  discharge();
  watch_.reset();
  reader_.reset();
  std::string().swap(ahead_);
  std::string().swap(out_);
  sent_ = 0;
  tell_gone();
  // An exchange may hold us longer than the loop lives, to whose timers the registry holds.
  registry_.reset();
}

// Not called from here: whoever reacts may be in the middle of a call of ours.
void Connection::tell_gone() {
  if (current_ == nullptr) return;
  gone_ = true;
  if (react_) boost::asio::post(registry_->loop().context(), std::exchange(react_, nullptr));
}

void Connection::on_gone(std::function<void()> react) {
  if (gone_) return react();
  react_ = std::move(react);
}

// --- what comes in

void Connection::arm_read() {
  if (reading_ || ended_ || stage_ == Stage::kClosed) return;
  if (room() == 0) return;
  reading_ = true;
  watch_->readable([self = shared_from_this()](const boost::system::error_code& error) {
    self->reading_ = false;
    if (error) return self->close();
    self->on_readable();
    self->arm_read();
  });
}

size_t Connection::room() const {
  if (!looks_ahead()) return SIZE_MAX;
  return kAheadBytes - std::min(ahead_.size(), kAheadBytes);
}

void Connection::on_readable() {
  if (stage_ == Stage::kClosed) return;
  auto& scratch = registry_->scratch();
  if (room() == 0) return;
  const ssize_t got = ::recv(watch_->get(), scratch.data(), std::min(room(), scratch.size()), 0);
  if (got > 0) return on_bytes({scratch.data(), static_cast<size_t>(got)});
  if (got == 0) return on_end();
  if (errno != EAGAIN && errno != EINTR) close();
}

void Connection::on_bytes(std::string_view bytes) {
  if (stage_ == Stage::kDraining) return drain(bytes.size());
  if (!looks_ahead()) return take(bytes);
  if (last_) return drain(bytes.size());
  ahead_.append(bytes);
}

void Connection::on_end() {
  ended_ = true;
  if (!looks_ahead()) return close();
  tell_gone();
}

void Connection::drain(size_t bytes) {
  drained_ += bytes;
  if (drained_ > kDrainBytes) close();
}

// --- what goes out

void Connection::begin_answer(Response& response, Ending ending, size_t length) {
  const Framing& framing = reader_.framing();
  const auto connection = response.headers.find("Connection");
  if (!framing.keep_alive || ending == Ending::kClose || registry_->is_closing() ||
      (connection && *connection == "close")) {
    last_ = true;
  }
  ending_ = framing.head_only || !has_body(response.status) ? Ending::kNone : ending;
  const Shape shape{.ending = has_body(response.status) ? ending : Ending::kNone,
                    .length = length,
                    .keep_alive = !last_,
                    .http10 = framing.http10};
  const std::string head = write_head(response, shape);
  const std::string_view body = ending_ == Ending::kNone ? std::string_view() : response.body;
  if (ending_ != Ending::kChunked || body.empty()) return send({head, body});
  send({head, chunk_size(body.size()), body, "\r\n"});
}

void Connection::respond(Response response) {
  if (stage_ == Stage::kClosed) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  finished_ = true;
  begin_answer(response, Ending::kLength, response.body.size());
  complete_if_sent();
}

void Connection::stream(Response head) {
  if (stage_ == Stage::kClosed) return;
  begin_answer(head, reader_.framing().http10 ? Ending::kClose : Ending::kChunked, 0);
}

void Connection::write(std::string_view piece) {
  if (ending_ == Ending::kNone || piece.empty()) return;  // an empty chunk would be the last one
  if (ending_ == Ending::kChunked) return send({chunk_size(piece.size()), piece, "\r\n"});
  send({piece});
}

void Connection::finish() {
  const std::shared_ptr<Connection> self = shared_from_this();
  finished_ = true;
  if (ending_ == Ending::kChunked) send({"0\r\n\r\n"});
  complete_if_sent();
}

void Connection::abandon() {
  current_ = nullptr;
  react_ = nullptr;
  close();
}

// Sends at once what the socket takes; the rest waits in out_.
void Connection::send(std::initializer_list<std::string_view> parts) {
  if (stage_ == Stage::kClosed) return;
  HELVE_CHECK(parts.size() <= 4);
  const size_t waited = unsent();
  size_t done = 0;
  if (waited == 0) {
    std::array<::iovec, 4> vectors{};
    size_t count = 0;
    for (const std::string_view part : parts) {
      vectors[count++] = {const_cast<char*>(part.data()), part.size()};
    }
    ::msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(watch_->get(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return close();
    if (sent > 0) done = static_cast<size_t>(sent);
    write_due_ = Clock::now() + registry_->limits().write_time;
  }
  for (const std::string_view part : parts) {
    const size_t skipped = std::min(done, part.size());
    out_.append(part.substr(skipped));
    done -= skipped;
  }
  if (waited > 0 && unsent() > registry_->limits().unsent_bytes) return close();
  arm_write();
}

void Connection::arm_write() {
  if (writing_ || unsent() == 0 || stage_ == Stage::kClosed) return;
  writing_ = true;
  watch_->writable([self = shared_from_this()](const boost::system::error_code& error) {
    self->writing_ = false;
    if (error) return self->close();
    self->flush();
    self->arm_write();
  });
}

void Connection::flush() {
  if (stage_ == Stage::kClosed) return;
  const ssize_t sent = ::send(watch_->get(), out_.data() + sent_, unsent(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return close();
  if (sent <= 0) return;
  sent_ += static_cast<size_t>(sent);
  write_due_ = Clock::now() + registry_->limits().write_time;
  if (unsent() == 0) {
    release_if_large(out_);
    sent_ = 0;
  } else if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  complete_if_sent();
}

void Connection::complete_if_sent() {
  if (stage_ == Stage::kAnswering && finished_ && unsent() == 0) complete();
}

void Connection::complete() {
  current_ = nullptr;
  // Let go only behind everything else: it may hold the exchange, and that the last thing it needs.
  const std::function<void()> react = std::exchange(react_, nullptr);
  if (last_ || (ended_ && ahead_.empty() && !taking_)) return linger();
  if (registry_->is_closing()) return linger();
  registry_->turn_idle(place_);
  stage_ = Stage::kIdle;
  due_ = Clock::now() + registry_->limits().idle_time;
  reader_.reset();
  if (taking_) return;
  if (!ahead_.empty()) {
    boost::asio::post(registry_->loop().context(),
                      [self = shared_from_this()] { self->take_ahead(); });
    return;
  }
  arm_read();
}

void Connection::linger() {
  ahead_.clear();
  if (ended_ || ::shutdown(watch_->get(), SHUT_WR) != 0) return close();
  stage_ = Stage::kDraining;
  due_ = Clock::now() + kDrainTime;
  arm_read();
}

}  // namespace helve::http
