#include "mcp/detail/wire.h"

#include "base/text.h"
#include "base/texts.h"
#include "mcp/server.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";

std::string response_head(const Json& id, size_t expected = 256) {
  std::string out;
  out.reserve(expected);
  out += R"({"jsonrpc":"2.0","id":)";
  append_json(out, id);
  return out;
}

// Members of `_meta` that every modern result carries, without the braces.
void append_server_info(std::string& out, const ServerInfo& info) {
  append_json_string(out, kServerInfoKey);
  out += R"(:{"name":)";
  append_json_string(out, info.name);
  out += R"(,"version":)";
  append_json_string(out, info.version);
  out += '}';
}

void append_text_block(std::string& out, std::string_view text) {
  out += R"({"type":"text","text":)";
  append_json_string(out, text);
  out += '}';
}

// Links are blocks of their own since 2025-06-18; before, they are told as text.
void append_link(std::string& out, const tool::Link& link, const Wire& wire) {
  if (!wire.structured) {
    return append_text_block(out, text("mcp.link", {{"name", link.name}, {"uri", link.uri}}));
  }
  JsonObject block{{"type", "resource_link"}, {"uri", link.uri}, {"name", link.name}};
  if (!link.mime_type.empty()) block["mimeType"] = link.mime_type;
  append_json(out, block);
}

void append_content(std::string& out, const tool::Answer& answer, const Wire& wire) {
  out += R"("content":[)";
  append_text_block(out, answer.text);
  for (const tool::Link& link : answer.links) {
    out += ',';
    append_link(out, link, wire);
  }
  for (const Json& block : answer.blocks) {
    out += ',';
    append_json(out, block);
  }
  out += ']';
}

void append_structured(std::string& out, const Json& structured, bool wrap) {
  out += R"(,"structuredContent":)";
  if (wrap) out += R"({"result":)";
  append_json(out, structured);
  if (wrap) out += '}';
}

// Behind others, unless it is `first`.
void append_members(std::string& out, const JsonObject& members, bool first) {
  for (const auto& member : members) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, {member.key().data(), member.key().size()});
    out += ':';
    append_json(out, member.value());
  }
}

// `_meta` of a modern result always has the server's identity; ours follow.
void append_meta(std::string& out, const JsonObject& meta, const Wire& wire) {
  if (!wire.modern && meta.empty()) return;
  out += R"(,"_meta":{)";
  if (wire.modern) append_server_info(out, *wire.info);
  append_members(out, meta, !wire.modern);
  out += '}';
}

// References into the document move with it when its root becomes a property.
void move_references(Json& schema) {
  if (schema.is_array()) {
    for (Json& item : schema.get_array()) move_references(item);
  }
  if (!schema.is_object()) return;
  for (auto& member : schema.get_object()) {
    Json& value = member.value();
    if (member.key() == "$ref" && value.is_string() && as_text(value).starts_with('#')) {
      value = "#/properties/result" + std::string(as_text(value).substr(1));
    } else {
      move_references(value);
    }
  }
}

Json wrapped_schema(Json schema) {
  move_references(schema);
  return JsonObject{{"type", "object"},
                    {"properties", JsonObject{{"result", std::move(schema)}}},
                    {"required", JsonArray{"result"}}};
}

JsonObject annotations_of(const tool::Annotations& annotations) {
  JsonObject out;
  if (!annotations.title.empty()) out["title"] = annotations.title;
  out["readOnlyHint"] = annotations.read_only;
  out["destructiveHint"] = annotations.destructive;
  out["idempotentHint"] = annotations.idempotent;
  out["openWorldHint"] = annotations.open_world;
  return out;
}

std::string finish_result(const Json& id, std::string_view type, JsonObject result,
                          const Wire& wire) {
  std::string out = response_head(id);
  out += R"(,"result":{)";
  if (wire.modern) {
    out += R"("resultType":)";
    append_json_string(out, type);
  }
  const Json meta = result.contains("_meta") ? result["_meta"] : Json(JsonObject());
  result.erase("_meta");
  append_members(out, result, !wire.modern);
  if (wire.modern) append_meta(out, meta.get_object(), wire);
  out += "}}";
  return out;
}

// What a client sent goes back to it in sentences, but not megabytes of it.
std::string bounded(std::string_view value) {
  constexpr size_t kMost = 1000;
  if (value.size() <= kMost) return std::string(value);
  return std::string(value.substr(0, utf8_floor(value, kMost))) + "...";
}

Refusal bounded(Refusal refusal) {
  for (auto& [name, value] : refusal.args) value = bounded(value);
  if (!refusal.details.is_object()) return refusal;
  for (auto& member : refusal.details.get_object()) {
    Json& value = member.value();
    if (value.is_string()) value = Json(bounded(as_text(value)));
  }
  return refusal;
}

}  // namespace

Wire wire_of(std::string_view revision, const ServerInfo& info) {
  // Revisions are dates, so they compare as text.
  return {.modern = revision >= kModern,
          .structured = revision >= "2025-06-18",
          .annotations = revision >= "2025-03-26",
          .rich_forms = revision >= "2025-11-25",
          .info = &info};
}

std::unexpected<ProtocolError> fail(ErrorCode code, std::string_view rule, Texts args,
                                    Json details) {
  return std::unexpected(
      ProtocolError{code, {std::string(rule), std::move(args), std::move(details)}});
}

std::string encode_error(const Json& id, const ProtocolError& error) {
  const Rendered rendered = render(bounded(error.what));
  JsonObject data;
  if (rendered.details.is_object()) data = rendered.details.get_object();
  data["rule"] = rendered.rule;
  data["next"] = rendered.next;
  std::string out = response_head(id);
  out += R"(,"error":)";
  append_json(out, JsonObject{{"code", static_cast<int>(error.code)},
                              {"message", rendered.message},
                              {"data", std::move(data)}});
  out += '}';
  return out;
}

std::string encode_result(const Json& id, JsonObject result, const Wire& wire) {
  return finish_result(id, "complete", std::move(result), wire);
}

std::string encode_answer(const Json& id, const tool::Answer& answer, const Wire& wire,
                          bool wrap_structured) {
  std::string out = response_head(id, answer.text.size() + 256);
  out += R"(,"result":{)";
  if (wire.modern) out += R"("resultType":"complete",)";
  append_content(out, answer, wire);
  if (answer.structured && wire.structured) {
    const bool bare = !wire.modern && !answer.structured->is_object();
    append_structured(out, *answer.structured, wrap_structured || bare);
  }
  if (answer.is_error) out += R"(,"isError":true)";
  append_meta(out, answer.meta, wire);
  out += "}}";
  return out;
}

std::string encode_needs(const Json& id, JsonObject requests, std::string_view state,
                         const Wire& wire) {
  return finish_result(id, "input_required",
                       {{"inputRequests", std::move(requests)}, {"requestState", state}}, wire);
}

JsonObject tool_row(const tool::Tool& tool, const Wire& wire) {
  JsonObject row{{"name", tool.name}};
  if (wire.structured && !tool.annotations.title.empty()) row["title"] = tool.annotations.title;
  row["description"] = tool.description;
  row["inputSchema"] = tool.input;
  if (tool.output && wire.structured) {
    row["outputSchema"] = needs_wrapping(tool, wire) ? wrapped_schema(*tool.output) : *tool.output;
  }
  if (wire.annotations) row["annotations"] = annotations_of(tool.annotations);
  return row;
}

bool needs_wrapping(const tool::Tool& tool, const Wire& wire) {
  return !wire.modern && tool.output && find_text(*tool.output, "type") != "object";
}

}  // namespace helve::mcp
