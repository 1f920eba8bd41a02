#include "host/tools.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "commands/plan_text.h"
#include "host/detail/fields.h"
#include "host/problems.h"
#include "host/table.h"
#include "host/values.h"

namespace helve::host {
namespace {

using Row = TableRow;

std::string arguments_line(const ToolConfig& tool) {
  std::vector<std::string> words;
  for (const tmpl::Argument& argument : tool.compiled.arguments()) {
    words.push_back(argument.required ? argument.name : '[' + argument.name + ']');
  }
  return join(words, " ");
}

std::string risks_line(const ToolConfig& tool) {
  std::vector<std::string> labels;
  for (const std::string& risk : tool.compiled.risks()) {
    labels.push_back(risk.starts_with("risk.") ? risk.substr(5) : risk);
  }
  return join(labels, ",");
}

std::string first_line(std::string_view text) {
  return flatten_controls(text.substr(0, text.find('\n')));
}

// What keeps the tool from running comes before what it would do.
std::string description_line(const ToolConfig& tool) {
  std::string line = first_line(tool.description);
  if (!tool.blocked) return line;
  return text("tools.blocked", {{"reason", render(flattened(*tool.blocked)).message},
                                {"description", std::move(line)}});
}

Json tool_json(const ToolConfig& tool) {
  JsonArray risks;
  for (const std::string& risk : tool.compiled.risks()) risks.emplace_back(risk);
  JsonObject object{{"name", tool.name},
                    {"description", tool.description},
                    {"file", to_utf8(tool.file.string())},
                    {"inputSchema", tool.compiled.input_schema(tool.arg_descriptions)},
                    {"risks", std::move(risks)}};
  if (tool.blocked) object["blocked"] = refusal_json(*tool.blocked);
  return object;
}

void print_table(const Config& config, Console& console) {
  if (config.tools.empty()) {
    if (!config.has_errors()) console.out << text("tools.none") << '\n';
    return;
  }
  std::vector<Row> rows = {{text("tools.column.name"), text("tools.column.arguments"),
                            text("tools.column.risks"), text("tools.column.description")}};
  for (const ToolConfig& tool : config.tools) {
    rows.push_back({tool.name, arguments_line(tool), risks_line(tool), description_line(tool)});
  }
  console.out << table_text(rows, console);
}

std::string default_text(const tmpl::Argument& argument) {
  if (argument.literal_default) {
    return text("tools.default",
                {{"value", flatten_controls(write_json(*argument.literal_default))}});
  }
  return text(argument.required ? "tools.required" : "tools.optional");
}

void print_arguments(const ToolConfig& tool, Console& console) {
  if (tool.compiled.arguments().empty()) return;
  std::vector<Row> rows = {{"  " + text("tools.column.argument"), text("tools.column.type"),
                            text("tools.column.default"), text("tools.column.description")}};
  for (const tmpl::Argument& argument : tool.compiled.arguments()) {
    const Json* about = find(tool.arg_descriptions, argument.name);
    const bool secret = std::ranges::find(tool.secret, argument.name) != tool.secret.end();
    std::string words = about != nullptr ? first_line(as_text(*about)) : "";
    if (secret) words = text("tools.secret") + (words.empty() ? "" : " " + words);
    rows.push_back({"  " + argument.name, flatten_controls(type_text(argument.type)),
                    default_text(argument), words});
  }
  console.out << '\n' << table_text(rows, console);
}

void print_remarks(const Config& config, const ToolConfig& tool, Console& console,
                   const Surroundings& around) {
  std::string remarks;
  for (const Problem& problem : config.problems) {
    const std::string& at = problem.finding.pointer;
    if (problem.file != tool.file || !at.starts_with(tool.pointer)) continue;
    if (at.size() == tool.pointer.size() || at[tool.pointer.size()] == '/') {
      remarks += problem_text(problem, around, console.color_out);
    }
  }
  if (!remarks.empty()) console.out << '\n' << remarks;
}

void print_blocked(const ToolConfig& tool, Console& console) {
  if (!tool.blocked) return;
  const Rendered why = render(flattened(*tool.blocked));
  console.out << '\n'
              << inked(text("tools.cannot_run", {{"reason", why.message}}), Ink::kError,
                       console.color_out)
              << '\n'
              << "  " << text("check.next", {{"next", why.next}}) << '\n';
}

std::string heading(std::string_view key, const Console& console) {
  return '\n' + inked(text(key), Ink::kStrong, console.color_out) + '\n';
}

void print_tool(const Config& config, const ToolConfig& tool, Console& console,
                const Surroundings& around) {
  console.out << inked(tool.name, Ink::kStrong, console.color_out) << "  "
              << flatten_controls(shown_path(tool.file, around)) << ':' << tool.at.line << '\n'
              << flat_lines(tool.description) << '\n';
  print_blocked(tool, console);
  print_arguments(tool, console);
  console.out << heading("tools.heading.template", console)
              << commands::template_tree(tool.node, 2);
  print_remarks(config, tool, console, around);
  console.out << heading("tools.heading.example", console) << "  " << example_command(tool) << '\n'
              << "  " << flatten_controls(write_json(example_call(tool))) << '\n'
              << heading("tools.heading.schema", console)
              << flat_lines(write_json(tool.compiled.input_schema(tool.arg_descriptions),
                                       JsonStyle::kPretty))
              << '\n';
}

void print_all(const ToolsRequest& request, const Config& config, Console& console) {
  if (request.names) {
    for (const ToolConfig& tool : config.tools) console.out << tool.name << '\n';
  } else if (request.json) {
    JsonArray all;
    for (const ToolConfig& tool : config.tools) all.push_back(tool_json(tool));
    console.out << write_json(JsonObject{{"tools", std::move(all)}}, JsonStyle::kPretty) << '\n';
  } else {
    print_table(config, console);
  }
}

// "name=", then "name=value" for each value it can only have.
void print_names(const tmpl::Argument& argument, Console& console) {
  const bool array = argument.type.kind == tmpl::Type::Kind::kArray;
  console.out << argument.name << (array ? ":=" : "=") << '\n';
  std::vector<std::string> values = argument.type.items;
  if (argument.type.kind == tmpl::Type::Kind::kBool) values = {"true", "false"};
  for (const std::string& value : values) {
    console.out << argument.name << '=' << flatten_controls(value) << '\n';
  }
}

void print_one(const ToolsRequest& request, const Config& config, const ToolConfig& tool,
               Console& console, const Surroundings& around) {
  if (request.names) {
    for (const tmpl::Argument& argument : tool.compiled.arguments()) print_names(argument, console);
  } else if (request.json) {
    console.out << write_json(tool_json(tool), JsonStyle::kPretty) << '\n';
  } else {
    print_tool(config, tool, console, around);
  }
}

}  // namespace

int tools(const ToolsRequest& request, Console& console, const Surroundings& around) {
  if (const auto root = check_root(request.locations, around); !root) {
    return print_refusal(console, root.error(), request.json);
  }
  const Config config = load(request.locations, around);
  if (config.has_errors() && !request.names) {
    console.err << text("tools.errors") << '\n';
  }
  if (request.name.empty()) {
    print_all(request, config, console);
    return kDone;
  }
  const ToolConfig* tool = config.find(request.name);
  if (tool == nullptr) {
    return print_refusal(
        console,
        refuse("host.no_such_tool",
               {{"tool", request.name}, {"hint", hint(request.name, config.tool_names())}})
            .error(),
        request.json);
  }
  print_one(request, config, *tool, console, around);
  return kDone;
}

}  // namespace helve::host
