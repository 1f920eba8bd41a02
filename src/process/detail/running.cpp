#include "process/detail/running.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>

#include "process/detail/children.h"
#include "process/warden.h"

namespace helve::process {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr int kLastTurns = 4;  // more than a pipe holds
constexpr size_t kFeedAtOnce = 256 * 1024;

Duration of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

bool has_exited(int pidfd) {
  siginfo_t info{};
  const int flags = WEXITED | WNOHANG | WNOWAIT;
  return ::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, flags) == 0 && info.si_pid != 0;
}

}  // namespace

Running::Running(os::Loop& loop, Spawn spawn, Fence fence)
    : loop_(loop),
      spawn_(std::move(spawn)),
      fence_(std::move(fence)),
      out_(loop, spawn_.out),
      err_(loop, spawn_.err),
      in_(loop),
      leader_(loop),
      survivor_(loop),
      timeout_(loop.context()),
      step_(loop.context()),
      done_(loop.context(), Clock::time_point::max()),
      gone_(loop.context(), Clock::time_point::max()) {}

// The loop itself went away before the end: KILL, and whoever asks next collects the zombie.
Running::~Running() {
  if (pid_ < 0) return;
  tree_.kill();
  give_back(tree_.release());
  Children::all().disown(pid_);
}

Failure Running::start() {
  keep_warden();
  Children::all().reap_orphans();
  Launched launched;
  ended_.started_at = WallClock::now();
  began_ = Clock::now();
  if (const Failure failure = launch(spawn_, fence_, launched)) return failure;
  return watch_all(std::move(launched));
}

Failure Running::watch_all(Launched launched) {
  pid_ = launched.pid;
  fed_ = launched.fed;
  tree_ = Tree(pid_, std::move(launched.mark), std::move(launched.cgroup),
               fence_.level == policy::Confine::kFull);
  containment_ = tree_.containment();
  int error = leader_.open(std::move(launched.pidfd));
  if (error == 0) error = out_.watch.open(std::move(launched.out));
  if (error == 0 && launched.err) error = err_.watch.open(std::move(launched.err));
  if (error == 0 && launched.in) error = in_.open(std::move(launched.in));
  set_listeners();
  watch_leader();
  if (error != 0) {  // epoll is full; the child has to go again
    abandon();
    return {Step::kWatch, error};
  }
  pump(out_);
  if (err_.watch.is_open()) pump(err_);
  if (in_.is_open()) feed();
  if (spawn_.timeout > Duration(0)) arm_timeout();
  return {};
}

void Running::set_listeners() {
  if (!spawn_.on_output) return;
  const auto tell = [this](Stream stream) {
    return [this, stream](std::string_view bytes) {
      if (!abandoned_) spawn_.on_output(stream, bytes);
    };
  };
  out_.listener = tell(Stream::kOut);
  err_.listener = tell(Stream::kErr);
}

void Running::pump(Channel& channel) {
  channel.watch.readable([self = shared_from_this(), &channel](error_code error) {
    if (error || !channel.watch.is_open()) return;
    if (self->held_) {
      channel.waits = true;
      return;
    }
    if (self->pull(channel) != Sink::Left::kEnd) return self->pump(channel);
    if (self->stopping_) return;
    if (self->leader_gone_ && self->all_read()) self->all_closed();
  });
}

// What waited meanwhile is read again; the rest still waits for its readiness.
void Running::hold(bool hold) {
  held_ = hold;
  for (Channel* channel : {&out_, &err_}) {
    if (hold || !std::exchange(channel->waits, false)) continue;
    if (channel->watch.is_open()) pump(*channel);
  }
}

Sink::Left Running::pull(Channel& channel) {
  if (!channel.watch.is_open()) return Sink::Left::kEnd;
  const std::uint64_t before = channel.sink.total();
  const Sink::Left left = channel.sink.pull(channel.watch.get(), channel.listener);
  if (leader_gone_ && channel.sink.total() != before) heard_ = Clock::now();
  if (left == Sink::Left::kEnd) channel.watch.close();
  return left;
}

void Running::feed() {
  const std::string& bytes = **std::get_if<Bytes>(&spawn_.input);
  in_.writable([self = shared_from_this(), &bytes](error_code error) {
    if (error || !self->in_.is_open()) return;
    const size_t size = std::min(bytes.size() - self->fed_, kFeedAtOnce);
    const ssize_t wrote = ::write(self->in_.get(), bytes.data() + self->fed_, size);
    if (wrote > 0) self->fed_ += static_cast<size_t>(wrote);
    const bool again = wrote >= 0 || errno == EAGAIN || errno == EINTR;  // EPIPE is no failure
    if (!again || self->fed_ == bytes.size()) return self->in_.close();
    self->feed();
  });
}

void Running::watch_leader() {
  leader_.readable([self = shared_from_this()](error_code error) {
    if (error || !self->leader_.is_open()) return;
    if (!has_exited(self->leader_.get())) return self->watch_leader();
    self->leader_left();
  });
}

void Running::arm_timeout() {
  timeout_.expires_at(later(began_, spawn_.timeout));
  timeout_.async_wait([self = shared_from_this()](error_code error) {
    const bool over = self->leader_gone_ && self->spawn_.quiet == Duration(0);
    if (error || over || self->finished_) return;
    self->stop(self->spawn_.timeout_grace, Ended::How::kTimedOut);
  });
}

void Running::finish() {
  finished_ = true;
  in_.close();
  for (int turn = 0; turn < kLastTurns && pull(out_) == Sink::Left::kMore; ++turn) {
  }
  for (int turn = 0; turn < kLastTurns && pull(err_) == Sink::Left::kMore; ++turn) {
  }
  ended_.lingered = ended_.lingered || !all_read();
  out_.watch.close();
  err_.watch.close();
  survivor_.close();
  timeout_.cancel();
  step_.cancel();
  if (stopping_) ended_.duration = Clock::now() - began_;
  ended_.out_of_memory = tree_.out_of_memory();
  if (!told_left_) tell_left(0);
  if (leader_gone_) reap();
  ended_.out = out_.sink.take();
  if (!spawn_.joined) ended_.err = err_.sink.take();
  done_.cancel();
}

void Running::reap() {
  siginfo_t info{};
  rusage usage{};
  const long got = ::syscall(SYS_waitid, P_PIDFD, leader_.get(), &info, WEXITED | WNOHANG, &usage);
  if (got == 0 && info.si_pid != 0) {
    const bool exited = info.si_code == CLD_EXITED;
    (exited ? ended_.code : ended_.signal) = info.si_status;
    if (!stopping_) ended_.how = exited ? Ended::How::kExited : Ended::How::kSignaled;
    ended_.cpu = of(usage.ru_utime) + of(usage.ru_stime);
  }
  leader_.close();
  give_back(tree_.release());
  Children::all().disown(std::exchange(pid_, -1));
  Children::all().reap_orphans();
}

boost::asio::awaitable<void> Running::wait_for(Timer& told, const bool& so) {
  while (!so) {
    const auto [error] =
        co_await told.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (error && !so) throw boost::system::system_error(error);  // the caller is cancelled
  }
}

boost::asio::awaitable<Ended> Running::wait() {
  const auto self = shared_from_this();
  co_await wait_for(done_, finished_);
  co_return std::move(ended_);
}

}  // namespace helve::process
