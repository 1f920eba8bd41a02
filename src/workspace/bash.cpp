// `bash`: runs a command and answers when it has ended or the window is over (WS-38 to WS-44).
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "base/texts.h"
#include "os/disk.h"
#include "tool/own_schema.h"
#include "workspace/detail/bash_answer.h"
#include "workspace/environment_reads.h"

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
constexpr Duration kBetweenProgress = 2s;
constexpr std::uint64_t kFreeBytes = 64ULL << 20;  // on each disk, to start

Json input_schema() {
  using tool::described, tool::ranged;
  JsonObject timeout = ranged(described("integer", "tool.bash.arg.timeout"), 0, kMostWait);
  timeout["default"] = kUsualWait;
  JsonObject input = described("string", "tool.bash.arg.stdin");
  input["maxLength"] = kMostInput;
  return tool::closed_object(
      {{"command", described("string", "tool.bash.arg.command")},
       {"timeout", std::move(timeout)},
       {"kill_after",
        ranged(described("integer", "tool.bash.arg.kill_after"), kLeastLife, kMostLife)},
       {"stdin", std::move(input)}},
      {"command"});
}

std::chrono::milliseconds time_in(const Call& call, std::string_view name, std::int64_t otherwise) {
  return std::chrono::milliseconds(tool::integer_in(call.arguments, name, otherwise));
}

process::Input input_of(const Call& call) {
  const Json* text = call.arguments.if_contains("stdin");
  if (text == nullptr) return {};
  return std::make_shared<const std::string>(as_text(*text));
}

// For what it writes, and for its log.
Result<void> check_room(const Settings& settings) {
  for (const auto& folder : {settings.root, settings.state}) {
    const auto disk = os::disk_space(folder);
    if (!disk || !disk->can_be_filled() || disk->free >= kFreeBytes) continue;
    return refuse("bash.disk_full",
                  {{"free", bytes_text(disk->free)}, {"folder", folder.string()}});
  }
  return {};
}

struct Prepared {
  process::File folder;
  Environment::Pin environment;
};

Result<Prepared> prepare(Workspace& workspace) {
  if (auto room = check_room(workspace.settings); !room) return std::unexpected(room.error());
  auto folder = workspace.folder.open();
  if (!folder) return std::unexpected(folder.error());
  Prepared prepared{.folder = *std::move(folder), .environment = {}};
  if (!workspace.environment) return prepared;
  auto pin = workspace.environment->stage();
  if (!pin) return std::unexpected(pin.error());
  prepared.environment = *std::move(pin);
  return prepared;
}

// Before a command is started: there is room, the workspace is there, the environment is staged.
asio::awaitable<Result<Prepared>> prepare(Workspace& workspace, tool::Session& session) {
  Result<Prepared> prepared;
  co_await workspace.workers.run(session, [&] { prepared = prepare(workspace); });
  co_return prepared;
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

// Its name is told: the job is found by it from now on (WS-61). Refused: job.stopped_no_room.
asio::awaitable<Result<void>> hand_over(ShellJob& shell, tool::Session& session) {
  if (session.jobs().full()) {
    shell.job()->cancellation->request(session.jobs().stop_grace);
    const tool::JobNames names = tool::bash_job_names();
    co_return refuse("job.stopped_no_room", {{"limit", std::to_string(session.jobs().most)},
                                             {"output", names.output},
                                             {"stop", names.stop}});
  }
  session.jobs().add(shell.job());
  shell.outlive_call();
  co_await session.jobs().settle(shell.job());
  co_return Result<void>();
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

void add_line(std::string& lines, const std::string& line) {
  if (!lines.empty() && !line.empty()) lines += '\n';
  lines += line;
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace, Call& call) {
  tool::Session& session = call.session;
  const std::string command(as_text(call.arguments.at("command")));
  if (auto fine = check_command(command); !fine) co_return std::unexpected(fine.error());
  if (is_full(session)) {
    co_return std::unexpected(session.jobs().too_many(tool::bash_job_names()));
  }
  const InCall in_call(session);
  auto prepared = co_await prepare(*workspace, session);
  if (!prepared) co_return std::unexpected(prepared.error());
  const auto& environment = prepared->environment;
  const std::string revision = environment ? environment->revision : "";
  auto shell = co_await ShellJob::start(workspace, session.shared_from_this(),
                                        {.command = command,
                                         .input = input_of(call),
                                         .kill_after = time_in(call, "kill_after", 0),
                                         .permit = call.permit,
                                         .environment = std::move(prepared->environment),
                                         .folder = std::move(prepared->folder)});
  if (!shell) co_return std::unexpected(shell.error());
  const Duration asked = time_in(call, "timeout", kUsualWait);
  const bool clamped = !call.waits_long && asked > kLongestWait;
  co_await wait_in_call(**shell, call, clamped ? kLongestWait : asked);
  if (call.cancellation->requested()) co_return Answer{};  // nobody gets it
  std::string note;
  if (!(*shell)->ended()) {
    const auto told = co_await hand_over(**shell, session);
    if (!told) co_return std::unexpected(told.error());
    if (clamped && !(*shell)->shell_ended()) {
      note = text("bash.clamped", {{"asked", duration_text(asked)}});
    }
  }
  add_line(note, co_await environment_news(*workspace, session, revision));
  co_return co_await bash_answer(*workspace, session, **shell, note);
}

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
