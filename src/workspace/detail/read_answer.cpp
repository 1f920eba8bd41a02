#include "workspace/detail/read_answer.h"

#include <algorithm>

#include "base/base64.h"
#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"
#include "tool/answer_size.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kLeastBudget = 4'000;
constexpr std::size_t kShortPath = 200, kPathRepeats = 6;

JsonObject arguments_of(const FileRead& read, const Asked& asked, const Next& next) {
  const std::string& path = asked.path.empty() ? read.shown : asked.path;
  JsonObject arguments{{"path", path}, {"offset", next.offset}};
  if (next.column > 0) arguments["column"] = next.column;
  if (asked.page.limit != asked.usual_limit) arguments["limit"] = asked.page.limit;
  if (asked.page.numbers) arguments["numbers"] = true;
  return arguments;
}

// Each remark is what a reader of the lines cannot see in them.
std::string remarks(const FileRead& read, const std::string& revision) {
  const Page& page = read.page;
  const bool utf16 = unit_of(read.kind.encoding) == 2;
  std::string out;
  const auto add = [&](bool so, std::string_view key, const Texts& args = {}) {
    if (so) out += ", " + text(key, args);
  };
  add(utf16, "result.read.encoding", {{"encoding", std::string(name_of(read.kind.encoding))}});
  add(read.kind.bom > 0, "result.read.bom");
  add(page.crlf && !page.lf, "result.read.crlf");
  add(page.crlf && page.lf, "result.read.mixed");
  add(page.lone_cr, "result.read.lone_cr");
  add(page.unfinished, "result.read.unfinished");
  add(page.lossy, "result.read.lossy");
  add(read.unstable, "result.read.unstable");
  add(read.beginning, "result.read.beginning", {{"bytes", std::to_string(read.size)}});
  add(!revision.empty(), "result.read.revision", {{"revision", revision}});
  return out;
}

std::string header_of(const FileRead& read, const std::string& revision) {
  const Page& page = read.page;
  const std::string path = flatten_controls(read.shown);
  const std::string lines = text(page.lines_exact ? "result.read.lines" : "result.read.at_least",
                                 {{"lines", std::to_string(page.lines)}});
  const Texts facts = {{"path", path},
                       {"first", std::to_string(page.first)},
                       {"last", std::to_string(page.last)},
                       {"lines", lines},
                       {"version", read.version},
                       {"remarks", remarks(read, revision)}};
  if (page.first == 0) return text("result.read.empty", facts);
  if (page.first < 0) return text("result.read.from_end", facts);
  return text("result.read.file", facts);
}

std::string cut_remark(const Page& page) {
  const Cut& cut = *page.cut;
  const std::string bytes = std::to_string(cut.bytes);
  return text("result.read.line_cut",
              {{"line", std::to_string(page.last)},
               {"from", std::to_string(cut.from)},
               {"to", std::to_string(cut.to)},
               {"bytes", cut.exact ? bytes : text("result.read.at_least", {{"lines", bytes}})},
               {"behind", std::to_string(page.last < 0 ? page.last + 1 : page.last)}});
}

Json number_or_null(std::int64_t number) { return number == 0 ? Json() : Json(number); }

JsonObject facts_of(const FileRead& read, const std::string& revision) {
  JsonObject facts{{"path", read.shown}, {"version", read.version}, {"bytes", read.size}};
  if (read.unstable) facts["unstable"] = true;
  if (!revision.empty()) facts["revision"] = revision;
  return facts;
}

JsonObject facts_of_page(const FileRead& read, const Asked& asked, const std::string& revision) {
  const Page& page = read.page;
  JsonObject facts = facts_of(read, revision);
  facts["first"] = number_or_null(page.first);
  facts["last"] = number_or_null(page.last);
  facts["lines"] = page.lines;
  facts["lines_exact"] = page.lines_exact;
  facts["encoding"] = name_of(read.kind.encoding);
  facts["bom"] = read.kind.bom > 0;
  if (page.lf || page.crlf) facts["line_ends"] = page.crlf ? page.lf ? "mixed" : "crlf" : "lf";
  facts["lossy"] = page.lossy;
  facts["unstable"] = read.unstable;
  facts["more"] = page.next.has_value();
  if (page.next) facts["next"] = arguments_of(read, asked, *page.next);
  if (page.cut)
    facts["cut"] = JsonObject{{"from", page.cut->from},
                              {"to", page.cut->to},
                              {"bytes", page.cut->bytes},
                              {"exact", page.cut->exact}};
  return facts;
}

tool::Answer image_answer(const FileRead& read, const std::string& revision) {
  JsonObject facts = facts_of(read, revision);
  facts["type"] = read.type;
  tool::Answer answer{.text = text("result.read.image", {{"path", flatten_controls(read.shown)},
                                                         {"type", read.type},
                                                         {"bytes", std::to_string(read.size)},
                                                         {"version", read.version}}),
                      .meta = JsonObject{{"io.helve/data", std::move(facts)}}};
  answer.blocks.push_back(
      JsonObject{{"type", "image"}, {"data", encode_base64(read.image)}, {"mimeType", read.type}});
  return answer;
}

}  // namespace

std::size_t page_budget(const std::string& shown) {
  const std::size_t path = encoded_size(shown);
  const std::size_t more = kPathRepeats * (path - std::min(path, kShortPath));
  return std::max(kLeastBudget, tool::kTextBudget - std::min(tool::kTextBudget, more));
}

tool::Answer answer_of(const FileRead& read, const Asked& asked, const std::string& revision) {
  if (!read.type.empty()) return image_answer(read, revision);
  std::string header = header_of(read, revision);
  if (asked.capped) {
    header += "; " + text("result.read.capped", {{"limit", std::to_string(*asked.capped)}});
  }
  if (read.page.cut) header += "; " + cut_remark(read.page);
  if (read.page.next) {
    const std::string call = write_json(arguments_of(read, asked, *read.page.next));
    header += "; " + text("result.read.more", {{"call", call}});
  }
  return {.text = header + '\n' + read.page.text,
          .meta = JsonObject{{"io.helve/data", facts_of_page(read, asked, revision)}}};
}

}  // namespace helve::workspace
