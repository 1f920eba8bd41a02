#include "workspace/detail/change_remarks.h"

#include <algorithm>

#include "base/texts.h"
#include "workspace/detail/line_ends.h"
#include "workspace/encoding.h"

namespace helve::workspace {
namespace {

// Keys behind "edit.ends."; "" where there is no line end.
std::string ends_of(std::string_view text) {
  const auto all = std::ranges::count(text, '\n');
  if (all == 0) return "";
  std::ptrdiff_t crlf = 0;
  for (std::size_t at = find_bytes(text, "\r\n", 0); at != std::string_view::npos;
       at = find_bytes(text, "\r\n", at + 2)) {
    ++crlf;
  }
  if (crlf == 0) return "lf";
  return crlf == all ? "crlf" : "mixed";
}

bool has_bom(std::string_view text) { return kind_of(text.substr(0, kSniffed)).bom > 0; }

bool unfinished(std::string_view text) { return !text.empty() && !text.ends_with('\n'); }

}  // namespace

void Remarks::unseen(std::uint64_t bytes, bool partly) {
  const Texts args{{"bytes", std::to_string(bytes)}};
  text_ += helve::text(partly ? "result.write.partly_seen" : "result.write.replaced_unseen", args);
  data_[partly ? "replaced_partly_seen" : "replaced_unseen"] = bytes;
}

void Remarks::compare(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return;
  JsonArray differ;
  const auto remark = [&](std::string_view key, const Texts& args, std::string_view name) {
    text_ += helve::text(key, args);
    differ.emplace_back(name);
  };
  const Encoding was = kind_of(before.substr(0, kSniffed)).encoding;
  const Encoding is = kind_of(after.substr(0, kSniffed)).encoding;
  if (was != is && unit_of(was) != unit_of(is)) {  // what else differs follows from that
    text_ += helve::text("result.write.encoding",
                         {{"from", std::string(name_of(was))}, {"to", std::string(name_of(is))}});
    data_["differs_in"] = JsonArray{"encoding"};
    return;
  }
  if (has_bom(before) != has_bom(after)) {
    remark(has_bom(before) ? "result.write.bom_gone" : "result.write.bom_came", {}, "bom");
  }
  const std::string from = ends_of(before), to = ends_of(after);
  if (from != to && !from.empty() && !to.empty()) {
    remark("result.write.eol",
           {{"from", helve::text("edit.ends." + from)}, {"to", helve::text("edit.ends." + to)}},
           "line_ends");
  }
  if (unfinished(before) != unfinished(after)) {
    remark(unfinished(after) ? "result.write.end_gone" : "result.write.end_came", {},
           "final_newline");
  }
  if (!differ.empty()) data_["differs_in"] = std::move(differ);
}

void Remarks::created_folders(std::size_t count) {
  if (count == 0) return;
  text_ += helve::text("result.write.folders", {{"count", std::to_string(count)}});
  data_["created_folders"] = count;
}

void Remarks::in_place(const std::string& why) {
  if (why.empty()) return;
  text_ += helve::text("result.write.in_place", {{"why", helve::text("file.in_place." + why)}});
  data_["in_place"] = why;
}

void Remarks::loose() {
  text_ += helve::text("result.edit.loose");
  data_["loose"] = "line_ends";
}

void Remarks::was_changed() {
  text_ += helve::text("result.edit.was_changed");
  data_["was_changed"] = true;
}

void Remarks::add_to(JsonObject& data) const {
  for (const auto& [name, value] : data_) data[name] = value;
}

}  // namespace helve::workspace
