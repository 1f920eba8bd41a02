// `read`: one page of a text file, or an image, with what is needed to go on (WS-67 to WS-76).
#include <algorithm>
#include <atomic>

#include "base/text.h"
#include "base/texts.h"
#include "tool/own_schema.h"
#include "tool/session.h"
#include "workspace/detail/read_answer.h"
#include "workspace/environment_reads.h"
#include "workspace/knowledge.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using tool::Answer;
using tool::Call;

Json input_schema(const Settings& settings) {
  using tool::described;
  JsonObject path = described("string", "tool.read.arg.path");
  path["minLength"] = 1;
  JsonObject limit = tool::ranged(
      described("integer", "tool.read.arg.limit", {{"cap", std::to_string(settings.read_cap)}}), 1);
  limit["default"] = settings.read_limit;
  return tool::closed_object(
      {{"path", std::move(path)},
       {"offset", described("integer", "tool.read.arg.offset")},
       {"limit", std::move(limit)},
       {"column", tool::ranged(described("integer", "tool.read.arg.column"), 0)},
       {"numbers", described("boolean", "tool.read.arg.numbers")}},
      {"path"});
}

Asked asked_by(const JsonObject& arguments, const Settings& settings) {
  using tool::integer_in;
  const auto wanted = static_cast<std::uint64_t>(
      integer_in(arguments, "limit", static_cast<std::int64_t>(settings.read_limit)));
  const Json* numbers = find(arguments, "numbers");
  Asked asked{.usual_limit = settings.read_limit,
              .page = {.offset = integer_in(arguments, "offset", 0),
                       .limit = std::min<std::uint64_t>(wanted, settings.read_cap),
                       .column = static_cast<std::uint64_t>(integer_in(arguments, "column", 0)),
                       .numbers = numbers != nullptr && numbers->as_bool()}};
  if (wanted > settings.read_cap) asked.capped = settings.read_cap;
  return asked;
}

// One call, as its worker and its coroutine share it: whoever of them is left last lets it go.
struct Work {
  std::shared_ptr<Workspace> workspace;
  std::shared_ptr<LineIndexes> indexes;
  std::string path;
  Place place;
  Asked asked;
  std::atomic<bool> stopped = false;

  Result<FileRead> read = FileRead();
  Answer answer;
  bool in_environment = false;
  std::string revision;  // of the environment
};

Refusal gone(const Work& work, const Place& place, Refusal refusal) {
  if (refusal.rule != "file.not_found" || place.in_environment) return refusal;
  const auto relative = place.path.lexically_relative(work.workspace->settings.root);
  if (!work.workspace->spills.was_here(relative)) return refusal;
  return {"spill.expired", {{"path", place.shown}}};
}

// Opened anew each time: a file that was replaced meanwhile is read as it is now (WS-75).
Result<FileRead> read_place(Work& work, const Place& place) {
  Result<FileRead> read = refuse("read.cancelled", {{"path", place.shown}});
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto opened = work.workspace->paths.open(place);
    if (!opened) return std::unexpected(gone(work, place, opened.error()));
    read = read_opened(*opened, place.shown, *work.indexes, work.asked.page, &work.stopped);
    if (!read || !read->unstable) break;
  }
  return read;
}

// On a worker.
void do_work(Work& work) {
  const Place& place = work.place;
  // A name with control characters is shown without them: the next call needs them.
  if (flatten_controls(work.path) != work.path) work.asked.path = work.path;
  work.asked.page.budget = page_budget(place.shown + work.asked.path);
  work.in_environment = place.in_environment;
  work.read = read_place(work, place);
  if (!work.read) return;
  if (place.in_environment && work.workspace->environment) {
    // What was read is an answer even if the environment as a whole cannot be told apart just now.
    work.revision = work.workspace->environment->revision().value_or("");
  }
  work.answer = answer_of(*work.read, work.asked, work.revision);
}

struct Lines {
  std::uint64_t first = 0, last = 0;  // from 1; 0: none
};

// The lines that a page shows whole.
Lines whole_lines(const Page& page, const PageRequest& asked) {
  const std::int64_t first = page.first + (asked.column > 0 ? 1 : 0);
  const std::int64_t last = page.last - (page.cut ? 1 : 0);
  if (page.first <= 0 || first > last) return {};
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
}

// Both, if nothing lies between them; else the latest.
Lines joined(const Lines& before, const Lines& now) {
  if (now.first == 0) return before;
  const bool touch =
      before.first > 0 && before.first <= now.last + 1 && now.first <= before.last + 1;
  if (!touch) return now;
  return {std::min(before.first, now.first), std::max(before.last, now.last)};
}

// What the session has seen of this version, this page included.
Seen seen_of(const FileRead& read, const PageRequest& asked, const Seen* before) {
  const bool same = before != nullptr && before->version == read.version;
  const Lines known = same ? Lines{before->first_line, before->last_line} : Lines{};
  const Lines lines = joined(known, whole_lines(read.page, asked));
  const bool all = read.page.lines_exact && lines.first <= 1 && lines.last == read.page.lines;
  return {.version = read.version,
          .whole = all || (same && before->whole),  // all zeros: an image, or an empty file
          .first_line = lines.first,
          .last_line = lines.last,
          .bytes = read.bytes};
}

void remember(tool::Session& session, const Work& work) {
  if (!session.remembers()) return;
  const FileRead& read = *work.read;
  if (work.in_environment) {
    if (work.revision.empty()) return;
    session.record<EnvironmentReads>().saw(work.place, read.version, work.revision);
  } else if (!read.unstable && !read.real_path.empty()) {
    auto& knowledge = session.record<Knowledge>();
    const Seen* before = knowledge.find(read.real_path);
    knowledge.saw(read.real_path, seen_of(read, work.asked.page, before));
  }
}

// In the header: what is behind it is the file's.
void add_news(Answer& answer, const std::string& news) {
  if (!news.empty())
    answer.text.insert(std::min(answer.text.find('\n'), answer.text.size()), "; " + news);
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace,
                                    std::shared_ptr<LineIndexes> indexes, Call& call) {
  auto work = std::make_shared<Work>();
  work->workspace = workspace;
  work->indexes = std::move(indexes);
  work->path = as_text(call.arguments.at("path"));
  auto place = workspace->paths.resolve(work->path);
  if (!place) co_return std::unexpected(place.error());
  work->place = *std::move(place);
  work->asked = asked_by(call.arguments, workspace->settings);
  call.cancellation->on_request([work](Duration) { work->stopped = true; });
  // Behind what this session has asked to change there (WS-92). Whoever has waited long enough
  // reads: it harms nothing.
  const auto turn =
      co_await workspace->locks.turn(call.session.id(), work->place.path, work->place.shown);
  co_await workspace->workers.run(call.session, [work] { do_work(*work); });
  call.cancellation->on_request({});
  if (!work->read) co_return std::unexpected(work->read.error());
  add_news(work->answer, co_await environment_news(*workspace, call.session, work->revision));
  remember(call.session, *work);
  co_return std::move(work->answer);
}

}  // namespace

tool::Tool read_tool(const std::shared_ptr<Workspace>& workspace) {
  auto indexes = std::make_shared<LineIndexes>();
  return {.name = "read",
          .description = text("tool.read"),
          .input = input_schema(workspace->settings),
          .annotations = {.title = text("tool.read.title"),
                          .read_only = true,
                          .destructive = false,
                          .idempotent = true,
                          .open_world = false},
          .run = [workspace, indexes](Call& call) { return run(workspace, indexes, call); },
          .subject = path_of};
}

}  // namespace helve::workspace
