#include "host/control.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <list>

#include "base/texts.h"
#include "host/detail/control_folder.h"
#include "host/detail/control_lines.h"
#include "os/waiting.h"

namespace helve::host {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using namespace std::chrono_literals;

constexpr Duration kStopWait = 1500ms;  // after the grace
constexpr size_t kMostConnections = 64;

auto reporting(boost::system::error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

bool is_ours(stream_protocol::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

JsonObject row_of(const tool::Session& session, const tool::Job& job) {
  const Duration age = job.ended() ? job.took : Clock::now() - job.started;
  return {{"id", job.id},
          {"tool", job.tool},
          {"title", job.title},
          {"state", tool::state_of(job)},
          {"status", tool::job_line(job)},
          {"ended", job.ended()},
          {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(age).count()},
          {"bytes", job.log.end()},
          {"session", session.id()},
          {"principal", session.principal()},
          {"daemon", ::getpid()}};
}

std::string line_of(JsonObject object) { return write_json(std::move(object)) + '\n'; }

struct Found {
  std::shared_ptr<tool::Session> session;
  std::shared_ptr<tool::Job> job;
};

Found find_job(const tool::Sessions& sessions, std::string_view id) {
  for (const auto& session : sessions.all()) {
    for (const auto& job : session->jobs().all()) {
      if (job->id == id) return {session, job};
    }
  }
  return {};
}

// One that somebody has opened; closed by either side.
struct Connection {
  explicit Connection(stream_protocol::socket from) : socket(std::move(from)) {}

  void close() {
    closed = true;
    boost::system::error_code ignored;
    (void)socket.close(ignored);
    waiting.wake_all();
  }
  asio::awaitable<void> send(std::string line) {
    boost::system::error_code error;
    co_await asio::async_write(socket, asio::buffer(line), reporting(error));
    if (error) close();
  }
  // Something new of the job, or nobody is there any more.
  asio::awaitable<void> wait(const std::shared_ptr<tool::Job>& job, Clock::time_point latest) {
    const auto wake = std::make_shared<std::function<void()>>();
    co_await os::wait_until(
        [&](const std::function<void()>& react) {
          *wake = react;
          job->on_news(wake);
          waiting.add(wake);
        },
        latest);
  }

  stream_protocol::socket socket;
  tool::Waiters waiting;
  bool closed = false;
};

}  // namespace

struct Control::State : std::enable_shared_from_this<State> {
  State(os::Loop& on, tool::Sessions& of, ControlFolder in)
      : loop(on), sessions(of), folder(std::move(in)), acceptor(on.context()) {}

  bool listen();
  void close();
  asio::awaitable<void> accept();
  asio::awaitable<void> serve(std::shared_ptr<Connection> connection);
  asio::awaitable<void> answer(std::shared_ptr<Connection> connection, std::string line);
  asio::awaitable<void> list(std::shared_ptr<Connection> connection);
  asio::awaitable<void> follow(std::shared_ptr<Connection> connection, Found found,
                               std::uint64_t cursor);
  asio::awaitable<void> stop(std::shared_ptr<Connection> connection, Found found);

  os::Loop& loop;
  tool::Sessions& sessions;
  ControlFolder folder;
  std::string name = std::to_string(::getpid()) + ".sock";
  stream_protocol::acceptor acceptor;
  std::list<std::weak_ptr<Connection>> connections;
  bool closed = false;
};

bool Control::State::listen() {
  (void)folder.names();  // removes those of daemons that died
  os::UniqueFd socket = folder.listen(name);
  if (!socket) return false;
  boost::system::error_code error;
  (void)acceptor.assign(stream_protocol(), socket.get(), error);
  if (error) return false;
  socket.release();
  loop.spawn([self = shared_from_this()] { return self->accept(); });
  return true;
}

void Control::State::close() {
  closed = true;
  if (acceptor.is_open()) folder.remove(name);
  boost::system::error_code ignored;
  (void)acceptor.close(ignored);
  for (const auto& each : connections) {
    if (const auto connection = each.lock()) connection->close();
  }
}

asio::awaitable<void> Control::State::accept() {
  while (!closed) {
    boost::system::error_code error;
    auto socket = co_await acceptor.async_accept(reporting(error));
    if (closed) co_return;
    if (error) {
      co_await os::Loop::sleep(100ms);  // out of descriptors, perhaps
      continue;
    }
    connections.remove_if([](const auto& each) { return each.expired(); });
    if (!is_ours(socket) || connections.size() >= kMostConnections) continue;
    const auto connection = std::make_shared<Connection>(std::move(socket));
    connections.push_back(connection);
    loop.spawn([self = shared_from_this(), connection] { return self->serve(connection); });
  }
}

// The first line is the request; whatever comes behind it is nothing, but the end of it is one.
asio::awaitable<void> Control::State::serve(std::shared_ptr<Connection> connection) {
  std::string line(kMostRequest, '\0');
  size_t size = 0;
  bool asked = false;
  while (!connection->closed) {
    boost::system::error_code error;
    const size_t got = co_await connection->socket.async_read_some(
        asio::buffer(line.data() + size, line.size() - size), reporting(error));
    if (error) break;
    if (asked) continue;
    size += got;
    const size_t end = std::string_view(line).substr(0, size).find('\n');
    if (end == std::string_view::npos && size < line.size()) continue;
    asked = true;
    loop.spawn([self = shared_from_this(), connection, request = line.substr(0, end)] {
      return self->answer(connection, request);
    });
    size = 0;
  }
  connection->close();
}

asio::awaitable<void> Control::State::answer(std::shared_ptr<Connection> connection,
                                             std::string line) {
  const auto request = read_control_line(line);
  const Found found = request ? find_job(sessions, request->job) : Found{};
  if (!request) {
    co_await connection->send(refusal_line(request.error()));
  } else if (request->verb == ControlVerb::kList) {
    co_await list(connection);
  } else if (!found.job) {
    co_await connection->send(
        refusal_line(refuse("jobs.unknown", {{"job", request->job}}).error()));
  } else if (request->verb == ControlVerb::kFollow) {
    co_await follow(connection, found, request->cursor);
  } else {
    co_await stop(connection, found);
  }
  connection->close();
}

asio::awaitable<void> Control::State::list(std::shared_ptr<Connection> connection) {
  for (const auto& session : sessions.all()) {
    std::string lines;
    session->jobs().forget_old(Clock::now());
    for (const auto& job : session->jobs().all()) {
      lines += line_of({{"job", row_of(*session, *job)}});
    }
    if (!lines.empty()) co_await connection->send(std::move(lines));
    if (connection->closed) co_return;
  }
  co_await connection->send(line_of({{"done", true}}));
}

asio::awaitable<void> Control::State::follow(std::shared_ptr<Connection> connection, Found found,
                                             std::uint64_t cursor) {
  const auto& job = found.job;
  while (!connection->closed) {
    const auto page = co_await job->log.fetch(cursor, {.bytes = 30'000, .encoded = SIZE_MAX});
    cursor = page.next;
    if (!page.text.empty()) {
      co_await connection->send(
          line_of({{"text", page.text}, {"skipped", page.skipped}, {"cursor", page.next}}));
    } else if (job->ended()) {
      co_await connection->send(line_of({{"job", row_of(*found.session, *job)}, {"done", true}}));
      co_return;
    } else {
      co_await connection->wait(job, Clock::time_point::max());
    }
  }
}

asio::awaitable<void> Control::State::stop(std::shared_ptr<Connection> connection, Found found) {
  const Duration grace = found.session->jobs().stop_grace;
  const auto latest = Clock::now() + grace + kStopWait;
  const bool had_ended = found.job->ended();
  if (!had_ended) found.job->cancellation->request(grace);
  while (!found.job->ended() && !connection->closed && Clock::now() < latest) {
    co_await connection->wait(found.job, latest);
  }
  co_await connection->send(line_of(
      {{"job", row_of(*found.session, *found.job)}, {"had_ended", had_ended}, {"done", true}}));
}

Control::Control(os::Loop& loop, tool::Sessions& sessions, const std::filesystem::path& state,
                 Console& console) {
  auto folder = ControlFolder::make(state);
  if (folder) {
    state_ = std::make_shared<State>(loop, sessions, *std::move(folder));
    if (state_->listen()) return;
    state_.reset();
  }
  console.err << text("control.failed", {{"folder", state.string()}}) << '\n' << std::flush;
}

Control::~Control() {
  if (state_) state_->close();
}

}  // namespace helve::host
