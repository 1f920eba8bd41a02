// `write`: a whole file, as it was given (WS-77 to WS-82).
#include <algorithm>

#include "base/texts.h"
#include "diff/diff.h"
#include "tool/own_schema.h"
#include "workspace/detail/change_remarks.h"
#include "workspace/detail/file_change.h"
#include "workspace/detail/guard.h"
#include "workspace/version.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using tool::Answer;
using tool::Call;

constexpr std::size_t kMostWritten = 4 << 20;  // decisions, section 4

Json input_schema() {
  using tool::described;
  return tool::closed_object({{"path", described("string", "tool.write.arg.path")},
                              {"text", described("string", "tool.write.arg.text")},
                              {"version", described("string", "tool.write.arg.version")}},
                             {"path", "text"});
}

Seen written(const std::string& body, const std::string& version) {
  Seen seen{.version = version, .whole = true};
  if (body.size() <= Knowledge::kMostBytesOfFile) seen.bytes = body;
  return seen;
}

// What an answer says beside what is true of every write.
struct Facts {
  std::string key;  // of the header
  std::string version;
  std::size_t added = 0, removed = 0;
  Remarks remarks;
};

Answer answer_of(const FileChange& change, const std::string& body, const Facts& facts) {
  const std::size_t lines = diff::count_lines(body);
  JsonObject data{{"path", change.place.shown},
                  {"created", facts.key == "result.write.created"},
                  {"unchanged", facts.key == "result.write.unchanged"},
                  {"bytes", body.size()},
                  {"lines", lines},
                  {"added", facts.added},
                  {"removed", facts.removed},
                  {"version", facts.version}};
  facts.remarks.add_to(data);
  return {.text = text(facts.key, {{"path", change.place.shown},
                                   {"bytes", std::to_string(body.size())},
                                   {"lines", std::to_string(lines)},
                                   {"added", std::to_string(facts.added)},
                                   {"removed", std::to_string(facts.removed)},
                                   {"version", facts.version},
                                   {"remarks", facts.remarks.text()}}) +
                  '\n',
          .meta = JsonObject{{"io.helve/data", std::move(data)}}};
}

// Refused: file.changed, file.unread {path, version}, and what standing_of refuses.
Result<Standing> may_write(const FileChange& change, Current& now) {
  const auto standing = standing_of(change, now);
  const Guard guard = change.workspace->settings.guard;
  if (!standing || guard == Guard::kOff) return standing;
  if (*standing == Standing::kChanged) return std::unexpected(changed_since(change, now));
  const bool unread = *standing == Standing::kUnseen || *standing == Standing::kPartly;
  if (guard == Guard::kStrict && unread) {
    return refuse("file.unread",
                  {{"path", change.place.shown}, {"version", change.version_of(now)}});
  }
  return standing;
}

Result<Answer> write_once(FileChange& change, const std::string& body) {
  auto now = change.read();
  if (!now) return std::unexpected(now.error());
  if (now->bytes == body && change.version != "absent") {
    Facts facts{.key = "result.write.unchanged", .version = change.version_of(*now)};
    change.learned = written(body, facts.version);
    return answer_of(change, body, facts);
  }
  const auto standing = may_write(change, *now);
  if (!standing) return std::unexpected(standing.error());
  const std::string_view pieces[] = {body};
  const auto replaced = change.replace(pieces);
  if (!replaced) return std::unexpected(replaced.error());

  Facts facts{.key = now->there ? "result.write.replaced" : "result.write.created",
              .version = version_of(body)};
  if (*standing == Standing::kUnseen) facts.remarks.unseen(now->size, false);
  if (*standing == Standing::kPartly) facts.remarks.unseen(now->size, true);
  if (now->bytes) {
    const diff::LineDiff diff = diff::diff_lines(*now->bytes, body);
    facts.added = diff.added;
    facts.removed = diff.removed;
    facts.remarks.compare(*now->bytes, body);
  } else {
    facts.added = diff::count_lines(body);
  }
  facts.remarks.created_folders(change.made.count());
  facts.remarks.in_place(replaced->in_place);
  change.learned = written(body, facts.version);
  return answer_of(change, body, facts);
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace, Call& call) {
  const auto body = std::make_shared<const std::string>(as_text(call.arguments.at("text")));
  if (body->size() > kMostWritten) {
    co_return refuse("write.too_large", {{"bytes", std::to_string(body->size())},
                                         {"limit", std::to_string(kMostWritten)}});
  }
  co_return co_await change_file(std::move(workspace), call, true,
                                 [body](FileChange& change) { return write_once(change, *body); });
}

}  // namespace

tool::Tool write_tool(const std::shared_ptr<Workspace>& workspace) {
  return {.name = "write",
          .description = text("tool.write"),
          .input = input_schema(),
          .annotations = {.title = text("tool.write.title"),
                          .destructive = true,
                          .idempotent = true,
                          .open_world = false},
          .run = [workspace](Call& call) { return run(workspace, call); },
          .subject = path_of};
}

}  // namespace helve::workspace
