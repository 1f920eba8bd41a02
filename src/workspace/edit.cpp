// `edit`: some bytes of a file in the place of others (WS-83 to WS-89).
#include <algorithm>

#include "base/hash.h"
#include "base/texts.h"
#include "tool/own_schema.h"
#include "workspace/detail/body.h"
#include "workspace/detail/change_remarks.h"
#include "workspace/detail/edit_diff.h"
#include "workspace/detail/file_change.h"
#include "workspace/detail/guard.h"
#include "workspace/detail/mismatch.h"
#include "workspace/version.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;
using tool::Answer;
using tool::Call;

constexpr std::size_t kLeastEdits = 2, kMostEdits = 50;

struct Request {
  std::vector<Wish> wishes;
  bool dry_run = false;
};

Json input_schema() {
  using tool::described;
  JsonObject edits = described("array", "tool.edit.arg.edits");
  edits["maxItems"] = kMostEdits;
  edits["items"] = tool::closed_object({{"old", JsonObject{{"type", "string"}}},
                                        {"new", JsonObject{{"type", "string"}}},
                                        {"all", JsonObject{{"type", "boolean"}}}},
                                       {"old", "new"});
  return tool::closed_object({{"path", described("string", "tool.edit.arg.path")},
                              {"old", described("string", "tool.edit.arg.old")},
                              {"new", described("string", "tool.edit.arg.new")},
                              {"all", described("boolean", "tool.edit.arg.all")},
                              {"edits", std::move(edits)},
                              {"dry_run", described("boolean", "tool.edit.arg.dry_run")},
                              {"version", described("string", "tool.edit.arg.version")}},
                             {"path"});
}

bool flag(const JsonObject& object, std::string_view name, bool otherwise) {
  const Json* value = object.if_contains(name);
  return value == nullptr ? otherwise : value->as_bool();
}

Wish wish_of(const JsonObject& object, bool all) {
  return {.old_text = std::string(as_text(object.at("old"))),
          .new_text = std::string(as_text(object.at("new"))),
          .all = flag(object, "all", all)};
}

// Refused: edit.incomplete {path}: not exactly one of old with new, and edits; edit.too_few
// {path, count}.
Result<Request> request_of(const Call& call, bool all) {
  const JsonObject& arguments = call.arguments;
  const Json* edits = arguments.if_contains("edits");
  const bool has_old = arguments.contains("old"), has_new = arguments.contains("new");
  if (edits == nullptr ? !has_old || !has_new : has_old || has_new) {
    return refuse("edit.incomplete", {{"path", std::string(as_text(arguments.at("path")))}});
  }
  // Not told by the schema, for its sentence would not say what to do instead.
  if (edits != nullptr && edits->get_array().size() < kLeastEdits) {
    return refuse("edit.too_few", {{"path", std::string(as_text(arguments.at("path")))},
                                   {"count", std::to_string(edits->get_array().size())}});
  }
  Request request{.dry_run = flag(arguments, "dry_run", false)};
  if (edits == nullptr) {
    request.wishes.push_back(wish_of(arguments, all));
  } else {
    all = flag(arguments, "all", all);
    for (const Json& edit : edits->as_array())
      request.wishes.push_back(wish_of(edit.as_object(), all));
  }
  return request;
}

// The old bytes as text, and what becomes of them.
struct Plan {
  Matching matching;  // in the text
  Matching in_bytes;
  std::vector<std::string_view> pieces;
  std::uint64_t size = 0;
};

// A match that cannot be another place than the one that was meant: byte for byte, and alone.
bool is_proof(const Matching& matching) {
  return matching.swaps.size() == matching.steps.size() &&
         std::ranges::all_of(matching.steps, [](Step step) { return step == Step::kExact; });
}

Refusal too_large(const std::string& shown, std::uint64_t size) {
  return {"file.too_large",
          {{"path", shown}, {"size", std::to_string(size)}, {"limit", bytes_text(kMostEdited)}},
          JsonObject{{"size", size}, {"limit", kMostEdited}}};
}

Result<Plan> plan_of(const FileChange& change, Current& now, const Body& body,
                     const Request& request, bool was_changed) {
  const std::string& shown = change.place.shown;
  auto matching = match(body.text(), request.wishes, body.is_text());
  if (!matching) {
    if (was_changed && matching.error().why == Mismatch::Why::kNone) {
      return std::unexpected(changed_since(change, now));
    }
    return std::unexpected(refusal_of(matching.error(), body.text(), request.wishes, shown));
  }
  if (was_changed && !is_proof(*matching)) return std::unexpected(changed_since(change, now));
  Plan plan{.matching = *std::move(matching)};
  plan.in_bytes = body.in_bytes(plan.matching);
  plan.pieces = pieces_of(body.bytes(), plan.in_bytes);
  for (const std::string_view piece : plan.pieces) plan.size += piece.size();
  if (plan.size > kMostEdited) return std::unexpected(too_large(shown, plan.size));
  return plan;
}

std::string version_after(const Plan& plan) {
  Sha256 digest;
  for (const std::string_view piece : plan.pieces) digest.update(piece);
  return version_of(std::move(digest));
}

// The session knows what it did; whether it knows the whole is as before.
Seen seen_after(const FileChange& change, const Plan& plan, const std::string& version,
                bool was_changed) {
  Seen seen{.version = version};
  if (change.seen && !was_changed) {
    seen.whole = change.seen->whole;
    seen.first_line = change.seen->first_line;
    seen.last_line = change.seen->last_line;
  }
  if (plan.size <= Knowledge::kMostBytesOfFile) {
    seen.bytes.emplace();
    seen.bytes->reserve(plan.size);
    for (const std::string_view piece : plan.pieces) *seen.bytes += piece;
  }
  return seen;
}

std::string lines_text(const EditDiff& diff, std::size_t replacements) {
  std::string out;
  for (const std::size_t line : diff.lines) {
    out += (out.empty() ? "" : ", ") + std::to_string(line);
  }
  return replacements > diff.lines.size() ? out + ", \xE2\x80\xA6" : out;
}

Answer answer_of(const FileChange& change, const Body& body, const Plan& plan, bool dry_run,
                 const std::string& version, const Remarks& remarks) {
  const std::size_t count = plan.matching.swaps.size();
  const EditDiff diff = edit_diff(body.text(), plan.matching);
  JsonObject data{{"path", change.place.shown},
                  {"replacements", count},
                  {"lines", JsonArray(diff.lines.begin(), diff.lines.end())},
                  {"bytes", plan.size},
                  {"version", version},
                  {"dry_run", dry_run}};
  remarks.add_to(data);
  return {.text = text(dry_run ? "result.edit.dry_run" : "result.edit.file",
                       {{"path", change.place.shown},
                        {"replacements", std::to_string(count)},
                        {"lines", lines_text(diff, count)},
                        {"version", version},
                        {"remarks", remarks.text()}}) +
                  '\n' + diff.text,
          .meta = JsonObject{{"io.helve/data", std::move(data)}}};
}

// Whether it was changed since the session saw it. Refused: what standing_of refuses; with
// Guard::kStrict, file.changed.
Result<bool> was_changed(const FileChange& change, Current& now) {
  const auto standing = standing_of(change, now);
  if (!standing) return std::unexpected(standing.error());
  const Guard guard = change.workspace->settings.guard;
  if (*standing != Standing::kChanged || guard == Guard::kOff) return false;
  if (guard == Guard::kStrict) return std::unexpected(changed_since(change, now));
  return true;
}

Result<Answer> edit_once(FileChange& change, const Request& request) {
  auto now = change.read();
  if (!now) return std::unexpected(now.error());
  // It was there a moment ago.
  if (!now->there) return refuse("file.changed_meanwhile", {{"path", change.place.shown}});
  if (!now->bytes) return std::unexpected(too_large(change.place.shown, now->size));
  const auto changed = was_changed(change, *now);
  if (!changed) return std::unexpected(changed.error());
  const Body body(*now->bytes);
  const auto plan = plan_of(change, *now, body, request, *changed);
  if (!plan) return std::unexpected(plan.error());

  Remarks remarks;
  if (std::ranges::count(plan->matching.steps, Step::kLineEnds) > 0) remarks.loose();
  if (*changed) remarks.was_changed();
  if (request.dry_run) {
    return answer_of(change, body, *plan, true, change.version_of(*now), remarks);
  }
  const auto replaced = change.replace(plan->pieces);
  if (!replaced) return std::unexpected(replaced.error());
  remarks.in_place(replaced->in_place);
  const std::string version = version_after(*plan);
  change.learned = seen_after(change, *plan, version, *changed);
  return answer_of(change, body, *plan, false, version, remarks);
}

asio::awaitable<Result<Answer>> run(std::shared_ptr<Workspace> workspace, Call& call) {
  auto read = request_of(call, workspace->settings.edit_all);
  if (!read) co_return std::unexpected(read.error());
  const auto fine = check_wishes(read->wishes, std::string(as_text(call.arguments.at("path"))));
  if (!fine) co_return std::unexpected(fine.error());
  const auto request = std::make_shared<const Request>(*std::move(read));
  co_return co_await change_file(std::move(workspace), call, false, [request](FileChange& change) {
    return edit_once(change, *request);
  });
}

}  // namespace

tool::Tool edit_tool(const std::shared_ptr<Workspace>& workspace) {
  return {
      .name = "edit",
      .description = text(workspace->settings.edit_all ? "tool.edit.replacing_all" : "tool.edit"),
      .input = input_schema(),
      .example = JsonObject{{"path", "text"}, {"old", "text"}, {"new", "other text"}},
      .annotations = {.title = text("tool.edit.title"),
                      .destructive = true,
                      .idempotent = false,
                      .open_world = false},
      .run = [workspace](Call& call) { return run(workspace, call); },
      .subject = path_of};
}

}  // namespace helve::workspace
