#include "process/process.h"

#include <array>
#include <cerrno>

#include "os/files.h"
#include "process/detail/program.h"
#include "process/detail/running.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;

// Pauses before another attempt when the system is short of something; together about 0.6 s.
constexpr std::array<milliseconds, 4> kPauses = {milliseconds(10), milliseconds(40),
                                                 milliseconds(150), milliseconds(400)};
constexpr int kNotFound = 127, kNotExecutable = 126, kTimedOut = 124, kCancelled = 130;

class Handle final : public Process {
 public:
  explicit Handle(std::shared_ptr<Running> running)
      : running_(std::move(running)), pid_(running_->pid()) {}
  ~Handle() override { running_->abandon(); }

  int pid() const override { return pid_; }
  std::string_view containment() const override { return running_->containment(); }
  policy::Confine confined() const override { return running_->confined(); }
  const std::string& mark() const override { return running_->mark(); }
  std::size_t processes() override { return running_->processes(); }
  std::vector<Remaining> remaining() override { return running_->remaining(); }
  boost::asio::awaitable<Left> left() override { return running_->left(); }
  void hold(bool hold) override { running_->hold(hold); }
  void stop(Duration grace) override { running_->stop(grace, Ended::How::kStopped); }
  boost::asio::awaitable<Ended> wait() override { return running_->wait(); }

 private:
  std::shared_ptr<Running> running_;
  int pid_;
};

// Worth another attempt: the system is short of something, or the program is being written.
bool is_passing(const Failure& failure) {
  const int error = failure.error;
  if (failure.step == Step::kWatch) return true;
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM ||
         (failure.step == Step::kExec && error == ETXTBSY);
}

Refusal refusal_of(const Failure& failure, const policy::Command& command,
                   const std::string& file) {
  if (is_passing(failure) && failure.error != ETXTBSY) {
    return refuse("process.busy", {{"what", os::errno_text(failure.error)}}).error();
  }
  if (failure.step == Step::kFolder) {
    return refuse("process.folder_missing",
                  {{"folder", command.folder.string()}, {"reason", os::errno_text(failure.error)}})
        .error();
  }
  if (failure.step == Step::kExec) return exec_refusal(command, file, failure.error);
  return refuse("process.failed",
                {{"program", command.program}, {"reason", os::errno_text(failure.error)}})
      .error();
}

}  // namespace

boost::asio::awaitable<Result<std::unique_ptr<Process>>> Process::start(os::Loop& loop,
                                                                        Spawn spawn) {
  const Result<std::string> file = find_program(spawn.allowed.command());
  if (!file) co_return std::unexpected(file.error());
  Result<Fence> fence = fence_for(spawn, *file);
  if (!fence) co_return std::unexpected(fence.error());
  auto running = std::make_shared<Running>(loop, std::move(spawn), *std::move(fence));
  for (size_t attempt = 0;; ++attempt) {
    const Failure failure = running->start();
    if (!failure) co_return std::make_unique<Handle>(std::move(running));
    if (!is_passing(failure) || attempt == kPauses.size() || failure.step == Step::kWatch) {
      co_return std::unexpected(refusal_of(failure, running->command(), *file));
    }
    co_await os::Loop::sleep(kPauses[attempt]);
  }
}

int Ended::result_code() const {
  switch (how) {
    case How::kExited:
      return code;
    case How::kSignaled:
      return 128 + signal;
    case How::kTimedOut:
      return kTimedOut;
    case How::kStopped:
      return kCancelled;
  }
  return kCancelled;
}

int refusal_code(const Refusal& refusal) {
  const bool missing =
      refusal.rule == "process.not_found" || refusal.rule == "process.file_missing";
  return missing ? kNotFound : kNotExecutable;
}

}  // namespace helve::process
