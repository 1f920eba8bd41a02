#include "workspace/detail/shell_job.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/ids.h"
#include "base/text.h"
#include "os/waiting.h"
#include "workspace/detail/script.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Duration kDrain = 1s, kQuiet = 100ms;  // WS-41
constexpr Duration kPatience = 2s;
constexpr Duration kPartial = 250ms;       // WS-36
constexpr size_t kTitle = 60;              // characters of a command in a list (WS-58)
constexpr unsigned kUmask = 022;           // WS-28
constexpr int kNice = 5, kOomScore = 500;  // WS-64
constexpr std::uint64_t kOpenFiles = 4096, kFileBytes = 8ULL << 30, kTreeProcesses = 512;

// WS-64. What is of the tree holds where a cgroup was delegated.
policy::Limits usual_limits() {
  static const std::uint64_t kHalfOfMemory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                             static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) /
                                             2;
  return {.file_bytes = kFileBytes,
          .open_files = kOpenFiles,
          .tree_memory_bytes = kHalfOfMemory,
          .tree_processes = kTreeProcesses};
}

std::string title_of(std::string_view command) {
  const std::string line = flatten_controls(to_utf8(trim(command)));
  return line.substr(0, utf8_floor(line, kTitle));
}

// What a process could not be started for, in the words of this tool (WS-32).
Refusal refusal_of(Refusal refusal, const Settings& settings) {
  if (refusal.rule == "process.not_found" || refusal.rule == "process.file_missing") {
    return refuse("bash.shell_missing", {{"shell", settings.bash.shell}}).error();
  }
  if (refusal.rule == "process.folder_missing") refusal.rule = "bash.cwd_missing";
  return refusal;
}

}  // namespace

ShellJob::ShellJob(std::shared_ptr<Workspace> workspace, std::shared_ptr<tool::Session> session,
                   ShellRequest request)
    : workspace_(std::move(workspace)),
      session_(std::move(session)),
      request_(std::move(request)),
      job_(std::make_shared<tool::Job>()),
      quiet_(workspace_->loop.context()),
      life_(workspace_->loop.context()),
      patience_(workspace_->loop.context()) {
  job_->id = new_handle("job");
  job_->tool = "bash";
  job_->title = title_of(request_.command);
  job_->cancellation = std::make_shared<tool::Cancellation>();
  session_->jobs().prepare(*job_);
}

asio::awaitable<Result<std::shared_ptr<ShellJob>>> ShellJob::start(
    std::shared_ptr<Workspace> workspace, std::shared_ptr<tool::Session> session,
    ShellRequest request) {
  const Settings& settings = workspace->settings;
  auto script = script_of(settings.bash.shell, request.command);
  if (!script) co_return std::unexpected(script.error());
  const std::shared_ptr<ShellJob> self(
      new ShellJob(workspace, std::move(session), std::move(request)));
  auto allowed = policy::allow(self->request_.permit.with_usual(usual_limits()),
                               self->command(std::move(script->argv)));
  if (!allowed) co_return std::unexpected(allowed.error());
  auto process = co_await process::Process::start(
      workspace->loop, self->spawn(*std::move(allowed), std::move(script->file)));
  if (!process) co_return std::unexpected(refusal_of(process.error(), settings));
  self->process_ = *std::move(process);
  self->hook_up();
  workspace->loop.spawn([self] { return self->drive(); });
  co_return self;
}

policy::Command ShellJob::command(std::vector<std::string> argv) const {
  const Settings& settings = workspace_->settings;
  auto variables = std::make_shared<std::map<std::string, std::string>>(settings.bash.variables);
  (*variables)["HELVE_SESSION"] = session_->id();
  policy::Confinement confinement = settings.confinement;
  if (const auto& environment = request_.environment) {
    (*variables)["HELVE_ENV"] = environment->folder.string();
    confinement.bind = {{.folder = environment->folder, .at = settings.environment->prefix}};
  }
  return {.argv = std::move(argv),
          .program = settings.bash.shell,
          .folder = settings.root,
          .variables = std::move(variables),
          .confinement = std::move(confinement)};
}

process::Spawn ShellJob::spawn(policy::Allowed allowed, process::File script) {
  process::Spawn spawn{.allowed = std::move(allowed),
                       .input = std::move(request_.input),
                       .joined = true,
                       .script = std::move(script),
                       .folder = std::move(request_.folder),
                       .umask = kUmask,
                       .nice = kNice,
                       .oom_score_adj = kOomScore,
                       .drain = kDrain,
                       .quiet = kQuiet,
                       .die_with_parent = true};
  spawn.out.tail = 0;  // the log keeps it
  spawn.on_output = [this](process::Stream, std::string_view bytes) { take(bytes); };
  return spawn;
}

void ShellJob::hook_up() {
  job_->mark = process_->mark();
  job_->pid = process_->pid();
  containment_ = process_->containment();
  confined_ = policy::name_of(process_->confined());
  job_->status = [weak = weak_from_this()](const tool::Job&) {
    const auto self = weak.lock();
    return self ? describe(self->state()) : tool::JobStatus{};
  };
  job_->left = [weak = weak_from_this()] {
    const auto self = weak.lock();
    return self ? self->left() : std::vector<tool::HeldProcess>();
  };
  session_->open_call(job_->cancellation);
  job_->cancellation->on_request([weak = weak_from_this()](Duration grace) {
    if (const auto self = weak.lock()) self->end("stopped", grace);
  });
  if (request_.kill_after > Duration(0)) limit_life(request_.kill_after);
}

void ShellJob::take(std::string_view bytes) {
  std::string text;
  output_.feed(bytes, text);
  last_bytes_ = Clock::now();
  add(std::move(text));
  if (output_.has_partial()) watch_quiet();
  if (job_->log.is_behind()) wait_for_log();
  const std::uint64_t most = workspace_->settings.bash.output_bytes;
  if (output_.bytes() > most) {
    limit_ = most;
    end("output", session_->jobs().stop_grace);
  }
}

void ShellJob::add(std::string text) {
  if (text.empty()) return;
  lines_ += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  job_->log.add_rendered(text);
}

// The command waits a little for the disk that its log goes to, and not for ever (WS-33).
void ShellJob::wait_for_log() {
  if (room_ || gave_up_) return;
  process_->hold(true);
  room_ = std::make_shared<std::function<void()>>([this] {
    if (!job_->log.is_behind()) return read_on();
    job_->log.on_room(room_);
  });
  job_->log.on_room(room_);
  patience_.expires_after(kPatience);
  patience_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->gave_up_ = true;
    self->read_on();
  });
}

void ShellJob::read_on() {
  room_.reset();
  patience_.cancel();
  if (process_) process_->hold(false);
}

// A line without an end that has been quiet for a while is a prompt, and is shown.
void ShellJob::watch_quiet() {
  if (quiet_armed_) return;
  quiet_armed_ = true;
  quiet_.expires_at(last_bytes_ + kPartial);
  quiet_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->ended_) return;
    self->quiet_armed_ = false;
    if (Clock::now() < self->last_bytes_ + kPartial) return self->watch_quiet();
    std::string text;
    self->output_.settle(text);
    self->add(std::move(text));
  });
}

void ShellJob::show_something() {
  if (job_->log.end() > 0) return;
  std::string text;
  output_.settle(text);
  add(std::move(text));
}

void ShellJob::limit_life(Duration after) {
  life_.expires_at(began_ + after);
  life_.async_wait([weak = weak_from_this(), after](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self || self->ended_) return;
    self->limit_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(after).count());
    self->end("kill_after", self->session_->jobs().stop_grace);
  });
}

void ShellJob::outlive_call() {
  if (request_.kill_after == Duration(0)) {
    limit_life(Clock::now() - began_ + workspace_->settings.bash.kill_after_call);
  }
}

void ShellJob::end(const char* reason, Duration grace) {
  if (ended_) return;
  if (reason_.empty()) reason_ = reason;
  stop_signal_ = SIGTERM;
  process_->stop(grace);
}

asio::awaitable<void> ShellJob::drive() {
  const auto self = shared_from_this();
  std::string text;
  shell_ = co_await process_->left();
  output_.settle(text);
  add(std::exchange(text, ""));
  job_->changed();
  tell();
  const process::Ended ended = co_await process_->wait();
  output_.finish(text);
  add(std::move(text));
  if (ended.killed) stop_signal_ = SIGKILL;
  held_ = ended.held;
  if (ended.out_of_memory && reason_.empty()) reason_ = "memory";  // WS-64
  took_ = Clock::now() - began_;
  ended_ = true;
  quiet_.cancel();
  patience_.cancel();
  life_.cancel();
  job_->status = [status = describe(state())](const tool::Job&) { return status; };
  job_->left = {};
  job_->cancellation->on_request({});
  job_->end({});
  session_->close_call(job_->cancellation);
  process_.reset();
  request_.environment.reset();
  tell();
}

std::vector<tool::HeldProcess> ShellJob::left() const {
  std::vector<tool::HeldProcess> left;
  if (!process_) return left;
  for (process::Remaining& each : process_->remaining()) {
    left.push_back({.pid = each.pid, .name = std::move(each.name)});
  }
  return left;
}

void ShellJob::tell() {
  if (const auto waiter = std::exchange(waiter_, nullptr)) waiter();
}

asio::awaitable<void> ShellJob::wait(Clock::time_point latest) {
  if (shell_) co_return;
  co_await os::wait_until([this](auto react) { waiter_ = std::move(react); }, latest);
  waiter_ = nullptr;
}

ShellState ShellJob::state() const {
  return {.age = ended_ ? took_ : Clock::now() - began_,
          .shell = shell_,
          .ended = ended_,
          .processes = process_ ? process_->processes() : 0,
          .job = job_->id,
          .reason = reason_,
          .limit = limit_,
          .stop_signal = stop_signal_,
          .held = held_,
          .bytes = output_.bytes(),
          .dropped = job_->log.dropped(),
          .replaced = output_.replaced(),
          .containment = containment_,
          .confined = confined_};
}

}  // namespace helve::workspace
