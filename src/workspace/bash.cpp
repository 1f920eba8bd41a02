// `bash`: runs a command and answers when it has ended or the window is over (WS-38 to WS-44).
#include <sys/statvfs.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "base/texts.h"
#include "tool/detail/own_schema.h"
#include "workspace/bounded.h"
#include "workspace/detail/shell_job.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using tool::Answer;
using tool::Call;

constexpr std::int64_t kUsualWait = 20'000, kMostWait = 600'000;    // ms
constexpr std::int64_t kLeastLife = 1'000, kMostLife = 86'400'000;  // ms
constexpr std::int64_t kMostInput = 1024 * 1024;                    // characters
constexpr Duration kLongestWait = 45s;                              // decisions, section 6
constexpr std::int64_t kNextWait = 10'000;  // ms, of the call that is proposed
constexpr Duration kBetweenProgress = 2s, kStopGrace = 2s;
constexpr size_t kBudget = 36'000;                 // encoded characters
constexpr std::uint64_t kFreeBytes = 64ULL << 20;  // on the disk, to start

JsonObject range(JsonObject property, std::int64_t least, std::int64_t most) {
  property["minimum"] = least;
  property["maximum"] = most;
  return property;
}

Json input_schema() {
  using tool::described;
  JsonObject timeout = range(described("integer", "tool.bash.arg.timeout"), 0, kMostWait);
  timeout["default"] = kUsualWait;
  JsonObject input = described("string", "tool.bash.arg.stdin");
  input["maxLength"] = kMostInput;
  return tool::closed_object({{"command", described("string", "tool.bash.arg.command")},
                              {"timeout", std::move(timeout)},
                              {"kill_after", range(described("integer", "tool.bash.arg.kill_after"),
                                                   kLeastLife, kMostLife)},
                              {"stdin", std::move(input)}},
                             {"command"});
}

std::int64_t integer(const Call& call, std::string_view name, std::int64_t otherwise) {
  const Json* value = call.arguments.if_contains(name);
  return value == nullptr ? otherwise : value->to_number<std::int64_t>();
}

process::Input input_of(const Call& call) {
  const Json* text = call.arguments.if_contains("stdin");
  if (text == nullptr) return {};
  return std::make_shared<const std::string>(as_text(*text));
}

// Before a command is started: there is room for what it writes, and the environment is staged.
asio::awaitable<Result<Environment::Pin>> prepare(Workspace& workspace, tool::Session& session) {
  Result<Environment::Pin> pin;
  co_await workspace.workers.run(session, [&] {
    struct statvfs disk{};
    if (::statvfs(workspace.settings.root.c_str(), &disk) == 0 &&
        disk.f_bavail * disk.f_frsize < kFreeBytes) {
      pin = refuse("bash.disk_full", {{"free", bytes_text(disk.f_bavail * disk.f_frsize)}});
    } else if (workspace.environment) {
      pin = workspace.environment->stage();
    }
  });
  co_return pin;
}

// The window: over with the shell, with its time, or with the call (WS-7: then the job goes, too,
// since nobody knows its name).
asio::awaitable<void> wait_in_call(ShellJob& shell, const Call& call, Duration window) {
  const auto latest = Clock::now() + window;
  call.cancellation->on_request(
      [job = shell.job()](Duration grace) { job->cancellation->request(grace); });
  while (!shell.shell_ended() && Clock::now() < latest) {
    const auto next = call.waits_long ? Clock::now() + kBetweenProgress : latest;
    co_await shell.wait(std::min(next, latest));
    if (!shell.shell_ended() && call.waits_long) {
      call.progress(
          {.done = static_cast<double>(shell.lines()), .message = shell.job()->log.last_line()});
    }
  }
  call.cancellation->on_request({});
}

// ---- the answer ----

struct Kept {
  std::string shown;  // what bound_text gets: all of it, or its head and its tail
  LeftOut missing;    // between the two
  Elsewhere elsewhere;
};

// All of the log into a file that `read` opens, page by page, so that memory does not hold it.
asio::awaitable<Result<std::string>> spill(Workspace& workspace, tool::Session& session,
                                           tool::Job& job) {
  constexpr tool::PageSize kPiece{.bytes = size_t{1} << 20, .encoded = SIZE_MAX};
  std::optional<Result<Spills::Draft>> draft;
  co_await workspace.workers.run(
      session, [&] { draft.emplace(workspace.spills.begin(session.id(), job.id)); });
  if (!*draft) co_return std::unexpected(draft->error());
  const std::uint64_t end = job.log.end();
  for (std::uint64_t cursor = 0; cursor < end;) {
    const tool::JobLog::Page page = co_await job.log.fetch(cursor, kPiece);
    if (page.next == cursor) break;
    cursor = page.next;
    co_await workspace.workers.run(session, [&] { (*draft)->add(page.skipped, page.text); });
  }
  Result<std::string> path;
  co_await workspace.workers.run(session, [&] { path = (*draft)->finish(); });
  co_return path;
}

// The head and the tail of a long log are in memory.
Kept ends_of(const ShellJob& shell) {
  const tool::JobLog& log = shell.job()->log;
  const std::uint64_t end = log.end();
  const std::uint64_t most = tool::JobLog::kHead + tool::JobLog::kTail;
  if (end <= most) return {.shown = log.read(0, SIZE_MAX).text};
  const std::string head = log.read(0, tool::JobLog::kHead / 2).text;
  const tool::JobLog::Page tail = log.read(end - tool::JobLog::kTail / 2, SIZE_MAX);
  Kept kept{.shown = head + tail.text};
  kept.missing.bytes = tail.from - head.size();
  const auto shown = static_cast<std::uint64_t>(std::ranges::count(kept.shown, '\n'));
  kept.missing.lines = shell.lines() - std::min(shell.lines(), shown);
  return kept;
}

asio::awaitable<std::string> output_of(Workspace& workspace, tool::Session& session,
                                       const ShellJob& shell) {
  const size_t limit = workspace.settings.inline_bytes;
  Kept kept = ends_of(shell);
  if (kept.shown.empty()) co_return text("bash.empty");
  if (kept.missing.bytes > 0 || !fits(kept.shown, limit, kBudget)) {
    const Result<std::string> path = co_await spill(workspace, session, *shell.job());
    if (path) kept.elsewhere.path = *path;
    if (!path) kept.elsewhere.reason = render(path.error()).message;
  }
  co_return bound_text(kept.shown, limit, kBudget, kept.elsewhere, kept.missing).text;
}

std::string go_on_call(const tool::Job& job) {
  return write_json(JsonObject{{"job", job.id}, {"cursor", job.log.end()}, {"wait", kNextWait}});
}

void add_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += line;
}

asio::awaitable<Answer> answer_of(Workspace& workspace, tool::Session& session, ShellJob& shell,
                                  const std::string& note) {
  shell.show_something();
  const std::string output = co_await output_of(workspace, session, shell);
  const bool goes_on = !shell.ended();
  ShellState state = shell.state();
  if (!goes_on) state.job.clear();  // WF-3: nobody shall follow what has ended
  tool::JobStatus status = describe(state);
  tool::Job& job = *shell.job();
  std::string text = status.line;
  add_line(text, note);
  add_line(text, output);
  if (goes_on) add_line(text, helve::text("bash.go_on", {{"call", go_on_call(job)}}));
  job.read = job.log.end();  // WS-44
  status.facts["cursor"] = job.read;
  co_return Answer{.text = std::move(text), .meta = {{"io.helve/data", std::move(status.facts)}}};
}

// Its name is told: the job is found by it from now on. Refused: job.stopped_no_room {limit}.
Result<void> hand_over(ShellJob& shell, tool::Session& session) {
  if (session.jobs().full()) {
    shell.job()->cancellation->request(kStopGrace);
    return refuse("job.stopped_no_room", {{"limit", std::to_string(session.jobs().most)}});
  }
  session.jobs().add(shell.job());
  shell.outlive_call();
  return {};
}

Refusal blank_command() {
  return refuse("args.invalid", {{"tool", "bash"},
                                 {"problems", text("bash.blank")},
                                 {"example", R"({"command": "ls -l"})"}})
      .error();
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace, Call& call) {
  tool::Session& session = call.session;
  if (trim(as_text(call.arguments.at("command"))).empty())
    co_return std::unexpected(blank_command());
  if (session.jobs().full())
    co_return std::unexpected(session.jobs().too_many(tool::bash_job_names()));
  auto pin = co_await prepare(*workspace, session);
  if (!pin) co_return std::unexpected(pin.error());
  auto shell = co_await ShellJob::start(
      workspace, session.shared_from_this(),
      {.command = std::string(as_text(call.arguments.at("command"))),
       .input = input_of(call),
       .kill_after = std::chrono::milliseconds(integer(call, "kill_after", 0)),
       .permit = call.permit,
       .environment = *std::move(pin)});
  if (!shell) co_return std::unexpected(shell.error());
  const Duration asked = std::chrono::milliseconds(integer(call, "timeout", kUsualWait));
  const bool clamped = !call.waits_long && asked > kLongestWait;
  co_await wait_in_call(**shell, call, clamped ? kLongestWait : asked);
  if (call.cancellation->requested()) co_return Answer{};  // nobody gets it
  std::string note;
  if (!(*shell)->ended()) {
    if (auto told = hand_over(**shell, session); !told) co_return std::unexpected(told.error());
    if (clamped && !(*shell)->shell_ended()) {
      note = text("bash.clamped", {{"asked", duration_text(asked)}});
    }
  }
  co_return co_await answer_of(*workspace, session, **shell, note);
}

}  // namespace

tool::Tool bash_tool(const std::shared_ptr<Workspace>& workspace) {
  const Settings& settings = workspace->settings;
  return {.name = "bash",
          .description =
              text("tool.bash", {{"shell", settings.bash.shell}, {"root", settings.root.string()}}),
          .input = input_schema(),
          .annotations = {.title = text("tool.bash.title")},
          .run = [workspace](Call& call) { return run(workspace, call); },
          .labels = {"shell"},
          .digest = sha256_hex(settings.bash.shell + '\n' + settings.root.string()),
          .preview =
              [](const JsonObject& arguments) {
                return Result<std::string>(std::string(as_text(arguments.at("command"))));
              }};
}

}  // namespace helve::workspace
