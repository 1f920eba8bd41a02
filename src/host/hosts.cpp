#include "host/hosts.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/texts.h"
#include "host/detail/fields.h"

namespace helve::host {
namespace {

constexpr std::string_view kName = "helve";
constexpr size_t kLongestName = 12;  // with a tool's 48 and the host's own within 64

struct HostRow {
  std::string_view name;
  std::string_view servers;  // the member that holds the servers
  std::string_view file;
  std::string_view http_file;              // "": it reaches no server by URL with a token
  std::string_view stdio_type, http_type;  // "": the host tells them apart by their members
  std::string_view url = "url";
  bool all_tools = false;  // wants to be told that all tools are meant
};

// The table of docs/hosts.md. Files that people commit are no place for a token.
constexpr HostRow kHosts[] = {
    {"claude-code", "mcpServers", ".mcp.json", "~/.claude.json", "stdio", "http"},
    {"claude-desktop", "mcpServers", "claude_desktop_config.json", "", "", ""},
    {"vscode", "servers", ".vscode/mcp.json", "mcp.json (MCP: Open User Configuration)", "stdio",
     "http"},
    {"copilot-cli", "mcpServers", "~/.copilot/mcp-config.json", "~/.copilot/mcp-config.json",
     "local", "http", "url", true},
    {"cursor", "mcpServers", ".cursor/mcp.json", "~/.cursor/mcp.json", "", ""},
    {"codex", "mcp_servers", "~/.codex/config.toml", "~/.codex/config.toml", "", ""},
    {"gemini-cli", "mcpServers", "~/.gemini/settings.json", "~/.gemini/settings.json", "", "",
     "httpUrl"},
    {"mcp-json", "mcpServers", "mcp.json", "mcp.json", "stdio", "http"},
};
constexpr std::string_view kToml = "codex";

Result<const HostRow*> find_host(std::string_view name) {
  const auto found = std::ranges::find(kHosts, name, &HostRow::name);
  if (found != std::end(kHosts)) return found;
  const std::vector<std::string_view> known = known_hosts();
  std::vector<std::string> names(known.begin(), known.end());
  return refuse(
      "host.unknown",
      {{"host", std::string(name)}, {"hint", hint(name, known)}, {"known", join(names, ", ")}});
}

JsonArray arguments_of(const StdioServer& server) {
  JsonArray words = {"mcp", "--root", to_utf8(server.root.string())};
  if (!server.config.empty()) {
    words.emplace_back("--config");
    words.emplace_back(to_utf8(server.config.string()));
  }
  return words;
}

std::string bearer(const HttpServer& server) { return "Bearer " + server.token; }

JsonObject entry_of(std::string_view type, const HostRow& host) {
  JsonObject entry;
  if (!type.empty()) entry["type"] = type;
  if (host.all_tools) entry["tools"] = JsonArray{"*"};
  return entry;
}

Snippet json_snippet(const HostRow& host, std::string_view file, const std::string& name,
                     JsonObject entry, bool secret) {
  JsonObject servers, whole;
  servers[name] = std::move(entry);
  whole[host.servers] = std::move(servers);
  return {write_json(whole, JsonStyle::kPretty) + '\n', std::string(file), secret};
}

// What our JSON writer escapes is just what a basic string of TOML wants escaped.
std::string toml_text(std::string_view value) {
  std::string quoted;
  append_json_string(quoted, to_utf8(value));
  return quoted;
}

std::string toml_head(const std::string& name) { return "[mcp_servers." + name + "]\n"; }

std::string toml_of(const StdioServer& server) {
  std::vector<std::string> words;
  for (const Json& word : arguments_of(server)) words.push_back(toml_text(as_text(word)));
  return toml_head(server.name) + "command = " + toml_text(server.program.string()) + "\nargs = [" +
         join(words, ", ") + "]\n";
}

std::string toml_of(const HttpServer& server) {
  return toml_head(server.name) + "url = " + toml_text(server.url) +
         "\nhttp_headers = { Authorization = " + toml_text(bearer(server)) + " }\n";
}

}  // namespace

std::vector<std::string_view> known_hosts() {
  std::vector<std::string_view> names;
  for (const HostRow& host : kHosts) names.push_back(host.name);
  return names;
}

std::string server_name(const std::filesystem::path& root) {
  std::string name;
  for (const char c : root.filename().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) name += static_cast<char>(c - 'A' + 'a');
    if (plain) name += c;
    if (!plain && !upper && !name.empty() && name.back() != '-') name += '-';
  }
  if (name.size() > kLongestName) name.resize(kLongestName);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? std::string(kName) : name;
}

Result<Snippet> snippet_for(std::string_view name, const StdioServer& server) {
  const Result<const HostRow*> host = find_host(name);
  if (!host) return std::unexpected(host.error());
  const HostRow& row = **host;
  if (name == kToml) return Snippet{toml_of(server), std::string(row.file), false};
  JsonObject entry = entry_of(row.stdio_type, row);
  entry["command"] = to_utf8(server.program.string());
  entry["args"] = arguments_of(server);
  return json_snippet(row, row.file, server.name, std::move(entry), false);
}

Result<Snippet> snippet_for(std::string_view name, const HttpServer& server) {
  const Result<const HostRow*> host = find_host(name);
  if (!host) return std::unexpected(host.error());
  const HostRow& row = **host;
  if (row.http_file.empty()) return refuse("host.no_http", {{"host", std::string(name)}});
  if (name == kToml) return Snippet{toml_of(server), std::string(row.http_file), true};
  JsonObject entry = entry_of(row.http_type, row);
  entry[row.url] = to_utf8(server.url);
  entry["headers"] = JsonObject{{"Authorization", to_utf8(bearer(server))}};
  return json_snippet(row, row.http_file, server.name, std::move(entry), true);
}

int print_config(const Result<Snippet>& snippet, Console& console) {
  if (!snippet) return print_refusal(console, snippet.error());
  console.out << snippet->text << std::flush;
  console.err << text("hosts.file", {{"file", snippet->file}}) << '\n';
  if (snippet->secret) console.err << text("hosts.secret") << '\n';
  return kDone;
}

}  // namespace helve::host
