#include "tool/search_tools.h"

#include "base/texts.h"
#include "schema/schema.h"
#include "tool/definitions.h"
#include "tool/detail/arguments.h"
#include "tool/own_schema.h"
#include "tool/search.h"

namespace helve::tool {
namespace {

constexpr const char* kCallName = "tool_call";
constexpr std::int64_t kUsualLimit = 3;
constexpr std::int64_t kMostLimit = 10;

Json search_schema() {
  JsonObject limit = ranged(described("integer", "tool_search.arg.limit"), 1, kMostLimit);
  limit["default"] = kUsualLimit;
  return closed_object(
      {{"query", described("string", "tool_search.arg.query")}, {"limit", std::move(limit)}},
      {"query"});
}

Json call_schema() {
  return closed_object({{"name", described("string", "tool_call.arg.name")},
                        {"arguments", described("object", "tool_call.arg.arguments")}},
                       {"name"});
}

using Tools = std::vector<std::shared_ptr<const Tool>>;

Tools deferred_tools(const Registry& registry) {
  Tools deferred;
  for (auto& tool : registry.tools()) {
    if (tool->deferred) deferred.push_back(std::move(tool));
  }
  return deferred;
}

std::vector<Match> find_among(const Tools& tools, std::string_view query, size_t limit) {
  std::vector<Candidate> candidates;
  for (const auto& tool : tools) {
    candidates.push_back({.name = tool->name,
                          .title = tool->annotations.title,
                          .description = tool->description,
                          .input = &tool->input,
                          .keywords = tool->keywords});
  }
  return search(candidates, query, limit);
}

boost::asio::awaitable<Result<Answer>> search_tool(const Registry& registry, Call& call) {
  const std::string query(as_text(call.arguments.at("query")));
  const auto most = static_cast<size_t>(integer_in(call.arguments, "limit", kUsualLimit));
  const Tools tools = deferred_tools(registry);
  const std::vector<Match> matches = find_among(tools, query, most);

  JsonArray names;
  std::string lines;
  for (const Match& match : matches) {
    names.emplace_back(tools[match.index]->name);
    lines += write_json(definition_of(*tools[match.index])) + '\n';
  }
  const char* key = matches.empty() ? "tool_search.none" : "tool_search.found";
  co_return Answer{
      .text = text(key, {{"query", query},
                         {"count", std::to_string(matches.size())},
                         {"hidden", std::to_string(tools.size())},
                         {"definitions", lines}}),
      .meta = JsonObject{{"io.helve/data", JsonObject{{"matches", std::move(names)}}}}};
}

Tool search_row(const Registry& registry) {
  return {.name = "tool_search",
          .description = text("tool.tool_search"),
          .input = search_schema(),
          .annotations = {.title = text("tool.tool_search.title"),
                          .read_only = true,
                          .destructive = false,
                          .idempotent = true,
                          .open_world = false},
          .run = [&registry](Call& call) { return search_tool(registry, call); },
          .own = true};
}

// Never run: the registry puts the tool that is meant in its place.
Tool call_row() {
  return {.name = kCallName,
          .description = text("tool.tool_call"),
          .input = call_schema(),
          .annotations = {.title = text("tool.tool_call.title")},
          .run = [](Call&) -> boost::asio::awaitable<Result<Answer>> {
            co_return refuse("tool.call_itself");
          },
          .own = true};
}

}  // namespace

Result<void> add_search_tools(Registry& registry) {
  if (auto added = registry.add(search_row(registry)); !added) return added;
  return registry.add(call_row());
}

Result<void> unwrap_tool_call(CallRequest& request) {
  if (request.tool != kCallName) return {};
  static const Tool kRow = call_row();
  static const schema::Schema kSchema = schema::Schema::compile(kRow.input).value();
  auto arguments = read_arguments(kRow, kSchema, std::move(request.arguments));
  if (!arguments) return std::unexpected(arguments.error());
  request.tool = as_text(arguments->at("name"));
  request.via = kCallName;
  if (request.tool == kCallName) return refuse("tool.call_itself");
  const Json* inner = arguments->if_contains("arguments");
  request.arguments = inner == nullptr ? Json() : *inner;
  return {};
}

}  // namespace helve::tool
