// `bash`: runs a command and answers when it has ended or the window is over (WS-38 to WS-44).
#include <sys/statvfs.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "base/texts.h"
#include "tool/own_schema.h"
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
    // What cannot be written to, or does not say how large it is, cannot be filled either.
    if (::statvfs(workspace.settings.root.c_str(), &disk) == 0 && disk.f_blocks > 0 &&
        (disk.f_flag & ST_RDONLY) == 0 && disk.f_bavail * disk.f_frsize < kFreeBytes) {
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

// The log up to `end` into a file that `read` opens, page by page, so that memory does not hold it.
asio::awaitable<Result<std::string>> spill(Workspace& workspace, tool::Session& session,
                                           tool::Job& job, std::uint64_t end) {
  constexpr tool::PageSize kPiece{.bytes = size_t{1} << 20, .encoded = SIZE_MAX};
  std::optional<Result<Spills::Draft>> draft;
  co_await workspace.workers.run(
      session, [&] { draft.emplace(workspace.spills.begin(session.id(), job.id)); });
  if (!*draft) co_return std::unexpected(draft->error());
  for (std::uint64_t cursor = 0; cursor < end;) {
    tool::JobLog::Page page = co_await job.log.fetch(cursor, kPiece);
    if (page.next == cursor) break;
    cursor = page.next;
    if (cursor > end) page.text.resize(page.text.size() - std::min(page.text.size(), cursor - end));
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
  const std::uint64_t end = shell.job()->log.end();
  Kept kept = ends_of(shell);
  if (kept.shown.empty()) co_return text("bash.empty");
  if (kept.missing.bytes > 0 || !fits(kept.shown, limit, kBudget)) {
    const Result<std::string> path = co_await spill(workspace, session, *shell.job(), end);
    if (path) kept.elsewhere.path = *path;
    if (!path) kept.elsewhere.reason = render(path.error()).message;
  }
  co_return bound_text(kept.shown, limit, kBudget, kept.elsewhere, kept.missing).text;
}

// What runs is followed; what was left running, such as a server, is rather to be ended some time.
std::string go_on_text(const tool::Job& job, std::uint64_t cursor, bool shell_ended) {
  if (shell_ended) {
    return text("bash.left_running", {{"call", write_json(JsonObject{{"job", job.id}})}});
  }
  const JsonObject call{{"job", job.id}, {"cursor", cursor}, {"wait", kNextWait}};
  return text("bash.go_on", {{"call", write_json(call)}});
}

void add_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += line;
}

// As it is now, all of it: what comes while the answer is made is for bash_output (WS-44, WS-46).
asio::awaitable<Answer> answer_of(Workspace& workspace, tool::Session& session, ShellJob& shell,
                                  const std::string& note) {
  shell.show_something();
  tool::Job& job = *shell.job();
  const std::uint64_t end = job.read = job.log.end();
  const bool goes_on = !shell.ended();
  ShellState state = shell.state();
  if (!goes_on) state.job.clear();  // WF-3: nobody shall follow what has ended
  tool::JobStatus status = describe(state);
  status.facts["cursor"] = end;
  const std::string output = co_await output_of(workspace, session, shell);
  std::string text = status.line;
  add_line(text, note);
  add_line(text, output);
  if (goes_on) add_line(text, go_on_text(job, end, state.shell.has_value()));
  co_return Answer{.text = std::move(text), .meta = {{"io.helve/data", std::move(status.facts)}}};
}

// Its name is told: the job is found by it from now on. Refused: job.stopped_no_room.
Result<void> hand_over(ShellJob& shell, tool::Session& session) {
  if (session.jobs().full()) {
    shell.job()->cancellation->request(kStopGrace);
    const tool::JobNames names = tool::bash_job_names();
    return refuse("job.stopped_no_room", {{"limit", std::to_string(session.jobs().most)},
                                          {"output", names.output},
                                          {"stop", names.stop}});
  }
  session.jobs().add(shell.job());
  shell.outlive_call();
  return {};
}

// What no shell could run as it was given: it ends at a NUL (WS-3, WS-38).
Result<void> check_command(std::string_view command) {
  const bool nul = command.contains('\0');
  if (!nul && !trim(command).empty()) return {};
  return refuse("args.invalid", {{"tool", "bash"},
                                 {"problems", text(nul ? "bash.nul" : "bash.blank")},
                                 {"example", R"({"command": "ls -l"})"}});
}

// The commands of one session that its calls still wait for: no jobs yet, and as much work (WS-58).
struct InCalls {
  std::size_t count = 0;
};

class InCall {
 public:
  explicit InCall(tool::Session& session) : calls_(session.record<InCalls>()) { ++calls_.count; }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() { --calls_.count; }

 private:
  InCalls& calls_;
};

bool is_full(tool::Session& session) {
  return session.jobs().running() + session.record<InCalls>().count >= session.jobs().most;
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace, Call& call) {
  tool::Session& session = call.session;
  const std::string command(as_text(call.arguments.at("command")));
  if (auto fine = check_command(command); !fine) co_return std::unexpected(fine.error());
  if (is_full(session)) {
    co_return std::unexpected(session.jobs().too_many(tool::bash_job_names()));
  }
  const InCall in_call(session);
  auto pin = co_await prepare(*workspace, session);
  if (!pin) co_return std::unexpected(pin.error());
  auto shell = co_await ShellJob::start(
      workspace, session.shared_from_this(),
      {.command = command,
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

namespace {

// WS-93: its first 200 characters.
std::string command_of(const JsonObject& arguments) {
  constexpr std::size_t kMost = 200;
  const Json* command = find(arguments, "command");
  if (command == nullptr || !command->is_string()) return "";
  const std::string_view whole = as_text(*command);
  return std::string(whole.substr(0, utf8_floor(whole, std::min(kMost, whole.size()))));
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
          .subject = command_of,
          .preview =
              [](const JsonObject& arguments) {
                return Result<std::string>(std::string(as_text(arguments.at("command"))));
              }};
}

}  // namespace helve::workspace
