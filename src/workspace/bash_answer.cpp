#include "workspace/detail/bash_answer.h"

#include <algorithm>

#include "base/texts.h"
#include "tool/answer_size.h"
#include "workspace/bounded.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using tool::Answer;

constexpr std::int64_t kNextWait = 10'000;  // ms, of the call that is proposed

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

// What an answer has no room for is in a file, or, where nobody could read that, in the log of the
// job, which is then kept for this alone (WS-26).
asio::awaitable<Elsewhere> keep_all(Workspace& workspace, tool::Session& session,
                                    const std::shared_ptr<tool::Job>& job, std::uint64_t end) {
  if (!workspace.settings.offers_read) {
    if (!session.jobs().find(job->id)) {
      session.jobs().add(job);
      co_await session.jobs().settle(job);
    }
    co_return Elsewhere{.job = job->id};
  }
  const Result<std::string> path = co_await spill(workspace, session, *job, end);
  if (!path) co_return Elsewhere{.reason = render(path.error()).message};
  job->spill = {.path = *path, .file = workspace.settings.root / *path};
  session.jobs().update(*job);
  co_return Elsewhere{.path = *path};
}

struct Shown {
  std::string text;
  std::string job;  // where the rest of it is to be read, if it is there
};

asio::awaitable<Shown> output_of(Workspace& workspace, tool::Session& session,
                                 const ShellJob& shell) {
  const size_t limit = workspace.settings.inline_bytes;
  const std::uint64_t end = shell.job()->log.end();
  Kept kept = ends_of(shell);
  if (kept.shown.empty()) co_return Shown{.text = text("bash.empty")};
  if (kept.missing.bytes > 0 || !fits(kept.shown, limit, tool::kTextBudget)) {
    kept.elsewhere = co_await keep_all(workspace, session, shell.job(), end);
  }
  Bounded bounded = bound_text(kept.shown, limit, tool::kTextBudget, kept.elsewhere, kept.missing);
  co_return Shown{.text = std::move(bounded.text), .job = kept.elsewhere.job};
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

}  // namespace

asio::awaitable<Answer> bash_answer(Workspace& workspace, tool::Session& session, ShellJob& shell,
                                    const std::string& note) {
  shell.show_something();
  tool::Job& job = *shell.job();
  const std::uint64_t end = job.read = job.log.end();
  const bool goes_on = !shell.ended();
  ShellState state = shell.state();
  if (!goes_on) state.job.clear();  // WF-3: nobody shall follow what has ended
  tool::JobStatus status = describe(state);
  status.facts["cursor"] = end;
  const Shown output = co_await output_of(workspace, session, shell);
  if (!output.job.empty()) status.facts["job"] = output.job;
  std::string text = status.line;
  add_line(text, note);
  add_line(text, output.text);
  if (goes_on) add_line(text, go_on_text(job, end, state.shell.has_value()));
  co_return Answer{.text = std::move(text), .meta = {{"io.helve/data", std::move(status.facts)}}};
}

}  // namespace helve::workspace
