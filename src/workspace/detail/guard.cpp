#include "workspace/detail/guard.h"

#include "base/texts.h"
#include "diff/diff.h"
#include "workspace/detail/body.h"

namespace helve::workspace {
namespace {

Refusal changed(const FileChange& change, const std::string& version, std::string what) {
  return {.rule = "file.changed",
          .args = {{"path", change.place.shown},
                   {"version", version.empty() ? "absent" : version},
                   {"what", std::move(what)}},
          .details = version.empty() ? Json(nullptr) : Json(JsonObject{{"version", version}})};
}

// A short diff from what the session saw.
std::string what_changed(const FileChange& change, const Current& now) {
  // A version that this session has not seen: nobody knows whether the file ever had it.
  if (change.wants_a_version() && (!change.seen || change.seen->version != *change.version)) {
    return text(now.there ? "edit.changed.version" : "edit.changed.nothing",
                {{"asked", *change.version}});
  }
  if (!now.there) return text("edit.changed.gone");
  const bool kept = change.seen && change.seen->bytes && now.bytes;
  if (!kept) return text("edit.changed.size", {{"bytes", std::to_string(now.size)}});
  const Body before(*change.seen->bytes), after(*now.bytes);
  if (!before.is_text() || !after.is_text() || before.text() == after.text()) {
    return text("edit.changed.size", {{"bytes", std::to_string(now.size)}});
  }
  return text("edit.changed.diff", {{"diff", diff::unified_diff(before.text(), after.text())}});
}

Result<Standing> by_version(const FileChange& change, Current& now) {
  if (*change.version == "any") return Standing::kFree;
  if (*change.version == "absent") {
    if (!now.there) return Standing::kFree;
    return refuse("file.exists",
                  {{"path", change.place.shown}, {"version", change.version_of(now)}});
  }
  if (now.there && change.version_of(now) == *change.version) return Standing::kSeen;
  return std::unexpected(changed_since(change, now));
}

}  // namespace

Result<Standing> standing_of(const FileChange& change, Current& now) {
  if (change.version) return by_version(change, now);
  if (!now.there) return Standing::kFree;
  if (!change.remembers) {
    const std::string& version = change.version_of(now);
    return refuse("file.version_needed", {{"path", change.place.shown}, {"version", version}},
                  JsonObject{{"version", version}});
  }
  if (!change.seen) return now.size == 0 ? Standing::kFree : Standing::kUnseen;
  if (change.version_of(now) != change.seen->version) return Standing::kChanged;
  return change.seen->whole ? Standing::kSeen : Standing::kPartly;
}

Refusal changed_since(const FileChange& change, Current& now) {
  const std::string version = change.version_of(now);
  return changed(change, version, what_changed(change, now));
}

Refusal keeps_changing(const FileChange& change) {
  return changed(change, "any", text("edit.changed.restless"));
}

}  // namespace helve::workspace
