// host/hosts.h
//
// Configuration snippets for the programs that use MCP servers, each in the form that the program
// reads: for a server that it starts (stdio), and for one that runs (HTTP). Pure but for
// print_config, which writes to the console.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "host/console.h"

namespace helve::host {

// A server that the host starts. `name` is what the host calls it.
struct StdioServer {
  std::string name;
  std::filesystem::path program;  // helve itself, absolute
  std::filesystem::path root;     // absolute
  std::filesystem::path config;   // --config, absolute; empty: none
};

// A server that runs already.
struct HttpServer {
  std::string name;
  std::string url;
  std::string token;
};

struct Snippet {
  std::string text;     // JSON or TOML, with a line end
  std::string file;     // that it belongs in, as people write it
  bool secret = false;  // it holds the token
};

std::vector<std::string_view> known_hosts();

// A name for the server of this project: its folder's, in letters that every host takes, so that
// two projects of one user do not meet. "helve" where nothing is left of it.
std::string server_name(const std::filesystem::path& root);

// Refused: host.unknown {host, hint, known}; host.no_http {host}.
Result<Snippet> snippet_for(std::string_view host, const StdioServer& server);
Result<Snippet> snippet_for(std::string_view host, const HttpServer& server);

// The snippet on out, so that it can be piped; where it belongs on err. The exit code.
int print_config(const Result<Snippet>& snippet, Console& console);

}  // namespace helve::host
