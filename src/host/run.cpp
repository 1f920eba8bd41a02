// `helve run`, once everything is prepared: progress on err, the result alone on out.
#include "host/run.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "base/ids.h"
#include "base/text.h"
#include "base/texts.h"
#include "commands/html.h"
#include "commands/run.h"
#include "host/progress.h"
#include "host/run_store.h"
#include "os/files.h"
#include "process/warden.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;
using commands::Run;
using commands::Status;

constexpr Duration kTimeoutGrace = std::chrono::seconds(5);     // decisions, section 5
constexpr Duration kEndGrace = std::chrono::milliseconds(500);  // likewise: the end of the host
constexpr int kUnwritten = 74;                                  // EX_IOERR
constexpr unsigned kReportMode = 0644;

struct Terminal {
  size_t rows = 24, columns = 80;
};

Terminal terminal_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

Progress::Mode mode_of(const RunRequest& request, const Console& console) {
  if (request.quiet) return Progress::Mode::kQuiet;
  const char* terminal = std::getenv("TERM");
  const bool moves = terminal != nullptr && std::string_view(terminal) != "dumb";
  return console.err_is_terminal && moves ? Progress::Mode::kTree : Progress::Mode::kLines;
}

// Ctrl-C ends what was started, and says so; the second one does not wait.
class Interrupts {
 public:
  Interrupts(os::Loop& loop, commands::Stop& stop, Progress& progress)
      : signals_(loop.context(), SIGINT, SIGTERM, SIGHUP), stop_(stop), progress_(progress) {
    signals_.add(SIGQUIT);
    wait();
  }
  // From here on the signals do again what they do by default.
  void end() {
    signals_.cancel();
    signals_.clear();
  }

 private:
  void wait() {
    signals_.async_wait([this](auto error, int) {
      if (error) return;
      const bool again = stop_.requested();
      progress_.say(text(again ? "run.killing" : "run.stopping"));
      stop_.request(again ? Duration(0) : kEndGrace);
      wait();
    });
  }

  boost::asio::signal_set signals_;
  commands::Stop& stop_;
  Progress& progress_;
};

commands::RunRequest run_request(const RunRequest& request) {
  const ToolConfig& tool = request.tool;
  return {.tool = tool.file == "-t" ? "" : tool.name,
          .arguments = request.values,
          .secret = tool.secret,
          .secret_texts = commands::secret_texts(request.values, tool.secret, tool.compiled),
          .warnings = tool.compiled.findings(),
          .runner = {.permit = policy::Permit::owner(request.limits),
                     .cwd = request.folder,
                     .variables = request.variables,
                     .jobs = static_cast<size_t>(request.jobs),
                     .spill_bytes = request.streams.spill_bytes,
                     .pipe_bytes = request.streams.pipe_bytes,
                     .grace = kTimeoutGrace,
                     .die_with_parent = true},
          .width = static_cast<size_t>(request.jobs)};
}

// --stdin: all of it before the run starts, since a step may be tried again and branches read it
// together; beyond 1 MiB it lies in a file that is gone with us.
commands::Stream read_standard_input(const RunRequest& request) {
  constexpr size_t kMemory = 1024 * 1024;
  const fs::path spill = request.state / ("stdin-" + random_hex(8));
  if (!os::make_private_folder(request.state)) return {};
  commands::Joiner input(kMemory, spill);
  std::string chunk(256 * 1024, '\0');
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    input.add(std::string_view(chunk).substr(0, static_cast<size_t>(got)));
  }
  commands::Stream stream = std::move(input).finish();
  std::error_code ignored;
  fs::remove(spill, ignored);
  return stream;
}

Result<std::string> report_text(const fs::path& file, const Run& run) {
  if (lower_ascii(file.extension().string()) != ".html") return run.json + '\n';
  const auto report = parse_json(run.json);
  if (!report) return std::unexpected(report.error());
  return commands::html_report(*report);
}

// A regular file is replaced as a whole, behind a symbolic link too; a pipe or a device is written
// to.
Result<void> write_report(const fs::path& file, const Run& run) {
  const Result<std::string> text = report_text(file, run);
  if (!text) return std::unexpected(text.error());
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) return os::append_to(file, *text);
  const fs::path target = fs::weakly_canonical(file, ignored);
  return os::write_atomic(ignored ? file : target, *text, kReportMode);
}

// Where both go to the same place the summary must not stand behind the result's last line.
void end_line(const Run& run, const RunRequest& request, Console& console) {
  const std::string_view tail = run.result.tail();
  struct stat out{};
  struct stat err{};
  const bool together = ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
                        out.st_dev == err.st_dev && out.st_ino == err.st_ino;
  if (together && !request.quiet && !request.json && !tail.empty() && tail.back() != '\n')
    console.err << '\n';
}

// The bytes as they are; a spilled result comes from its file.
void print_result(std::ostream& out, const commands::Stream& result) {
  if (!result.file) {
    out << result.tail() << std::flush;
    return;
  }
  std::string chunk(256 * 1024, '\0');
  for (off_t at = 0; out;) {
    const ssize_t got = ::pread(result.file->get(), chunk.data(), chunk.size(), at);
    if (got <= 0) break;
    out.write(chunk.data(), got);
    at += got;
  }
  out << std::flush;
}

std::string summary(const Run& run, bool color) {
  const commands::Report& report = run.report;
  const commands::Coverage coverage = report.coverage();
  const auto cancelled = std::count_if(
      report.steps.begin(), report.steps.end(),
      [](const commands::StepRun& step) { return step.status == Status::kCancelled; });
  const std::string line =
      text(cancelled > 0 ? "run.summary.cancelled" : "run.summary",
           {{"status", text("status." + std::string(name(report.status)))},
            {"done", std::to_string(coverage.done)},
            {"expected", std::to_string(coverage.expected)},
            {"failed", std::to_string(coverage.failed - static_cast<size_t>(cancelled))},
            {"cancelled", std::to_string(cancelled)},
            {"skipped", std::to_string(coverage.skipped)},
            {"duration", duration_text(report.duration)},
            {"exit", std::to_string(report.exit)}});
  const Ink ink = report.status == Status::kOk         ? Ink::kStrong
                  : report.status == Status::kDegraded ? Ink::kWarning
                                                       : Ink::kError;
  return inked(line, ink, color);
}

void close_with_summary(const RunRequest& request, const Run& run, Console& console) {
  if (request.quiet) return;
  for (const Finding& warning : run.report.warnings) {
    if (warning.what.rule.starts_with("template.")) continue;  // `helve check` shows those
    console.err << text("run.warning", {{"message", render(warning.what).message}}) << '\n';
  }
  if (run.report.reason == "artifact_missing") {
    console.err << text("run.artifact_missing",
                        {{"tool", request.tool.name}, {"file", run.report.output}})
                << '\n';
  }
  console.err << summary(run, console.color_err) << '\n';
}

}  // namespace

int execute(const RunRequest& request, Console& console) {
  // Ends what a step has left in the background, when we end and however we end.
  if (!process::start_warden()) console.err << text("serve.no_warden") << '\n';
  os::Loop loop;
  RunStore store(request.state / "runs");
  commands::Stop stop;
  const Terminal terminal = terminal_of(STDERR_FILENO);
  Progress progress(request.plan, request.tool.name, console, mode_of(request, console),
                    terminal.rows, terminal.columns);
  Interrupts interrupts(loop, stop, progress);
  // The plan lives in the request, which outlives the run.
  const std::shared_ptr<const tmpl::Plan> plan(std::shared_ptr<void>(), &request.plan);
  commands::RunRequest prepared = run_request(request);
  if (request.standard_input) prepared.input = read_standard_input(request);
  Run run;
  progress.animate(loop);
  loop.spawn([&]() -> boost::asio::awaitable<void> {
    run = co_await commands::run_plan(loop, plan, std::move(prepared),
                                      request.tail ? nullptr : &store, stop, &progress);
    progress.finish();
    interrupts.end();
  });
  loop.run();

  errno = 0;
  if (request.json) {
    console.out << run.json << '\n' << std::flush;
  } else {
    print_result(console.out, run.result);
  }
  const int error = errno;
  const bool lost = !console.out && error != EPIPE;  // a reader that went away has read enough
  end_line(run, request, console);
  close_with_summary(request, run, console);
  if (!request.report.empty()) {
    if (const auto written = write_report(request.report, run); !written) {
      print_refusal(console, written.error());
      return run.report.exit != 0 ? run.report.exit : kRefused;
    }
    if (!request.quiet) {
      console.err << text("run.report_written", {{"file", request.report.string()}}) << '\n';
    }
  }
  if (!lost) return run.report.exit;
  print_refusal(console, {"run.result_unwritten", {{"reason", os::errno_text(error)}}});
  return run.report.exit != 0 ? run.report.exit : kUnwritten;
}

}  // namespace helve::host
