#include "mcp/detail/link.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstdio>

#include "base/texts.h"
#include "mcp/detail/wire.h"
#include "os/files.h"
#include "os/waiting.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

constexpr size_t kLineLimit = size_t{32} * 1024 * 1024;  // decisions, section 4
constexpr auto kGrace = 500ms;                           // decisions, section 5
constexpr auto kCallsLatest = 850ms;   // after the end: no call is waited for any longer
constexpr auto kOutputLatest = 950ms;  // nor is output
constexpr auto kHangUpPoll = 200ms;

}  // namespace

Link::Link(os::Loop& loop, Server& server, std::shared_ptr<tool::Session> session, Channel in,
           Channel out)
    : loop_(loop),
      server_(server),
      peer_(server.connect(loop.executor(), std::move(session))),
      in_(loop),
      way_(in.way),
      lines_(kLineLimit),
      ended_(loop.context(), Clock::time_point::max()),
      hang_up_(loop.context()) {
  sink_ = std::make_shared<LineSink>(loop, std::move(out), [this](int error) {
    std::fprintf(stderr, "%s\n",
                 text("mcp.log.lost_client", {{"reason", os::errno_text(error)}}).c_str());
    end();
  });
  peer_->push = sink_;
  open_ = in.fd && in_.open(std::move(in.fd)) == 0;
}

boost::asio::awaitable<void> Link::serve() {
  const auto self = shared_from_this();
  if (open_) {
    read_later();
    boost::system::error_code error;
    co_await ended_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
  }
  const auto now = Clock::now();
  peer_->end(kGrace);
  tool::Session& session = *peer_->session();
  session.end(kGrace, true);  // the host ends with its one client, and detached jobs with it
  co_await os::wait_until([&](auto react) { session.when_idle(std::move(react)); },
                          now + kCallsLatest);
  co_await os::wait_until([this](auto react) { sink_->when_empty(std::move(react)); },
                          now + kOutputLatest);
  sink_->close();
}

void Link::end() {
  if (!std::exchange(open_, false)) return;
  in_.close();
  hang_up_.cancel();
  ended_.cancel();
}

void Link::read_later() {
  in_.readable([self = shared_from_this()](const boost::system::error_code& error) {
    if (!self->open_) return;
    // Files and /dev/null are not for epoll; they never block either.
    if (error && error != boost::asio::error::operation_not_supported) return self->end();
    self->read_now();
  });
}

void Link::read_now() {
  const ssize_t count = read_some(in_.get(), way_, lines_.space());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return read_later();
  if (count > 0) {
    lines_.filled(static_cast<size_t>(count));
  } else {
    at_end_ = true;
  }
  proceed();
}

// One read can bring a thousand small requests with large answers, so the client's pace counts
// between lines, not only between reads.
void Link::proceed() {
  while (open_) {
    const bool dry = take_lines();
    if (!open_) return;
    if (sink_->congested()) return proceed_when_drained();
    if (dry) return at_end_ ? end() : read_later();
  }
}

// True if no line is left that could be taken now.
bool Link::take_lines() {
  sink_->hold();
  bool dry = false;
  while (open_ && !dry && !sink_->congested()) {
    auto line = lines_.next();
    dry = !line;
    if (!line && at_end_) line = lines_.last();
    if (line) take(*line);
  }
  sink_->release();
  return dry;
}

void Link::take(const Line& line) {
  if (!line.too_long) return server_.receive(peer_, line.text, sink_);
  sink_->answer(encode_error(nullptr, fail(ErrorCode::kInvalidRequest, "mcp.message_too_large",
                                           {{"limit", std::to_string(kLineLimit)}})
                                          .error()),
                static_cast<int>(ErrorCode::kInvalidRequest));
}

void Link::proceed_when_drained() {
  blocked_ = true;
  watch_hang_up();
  sink_->when_drained([self = shared_from_this()] {
    self->blocked_ = false;
    self->hang_up_.cancel();
    boost::asio::post(self->loop_.executor(), [self] { self->proceed(); });
  });
}

// While nothing is read, the end of the client shows in no read().
void Link::watch_hang_up() {
  hang_up_.expires_after(kHangUpPoll);
  hang_up_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || !self->open_ || !self->blocked_) return;
    if (hung_up(self->in_.get())) return self->end();
    self->watch_hang_up();
  });
}

}  // namespace helve::mcp
