// `--print-config HOST` of `helve mcp` and `helve serve`: what a host is to be told.
#include "host/detail/starting.h"
#include "host/hosts.h"
#include "host/problems.h"
#include "host/tokens.h"

namespace helve::host {
namespace {

// The running program, so that a host which has no PATH finds it (R15).
std::filesystem::path program() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path("helve") : self;
}

}  // namespace

int print_stdio_config(const ServeCommand& command, Console& console, const Surroundings& around) {
  const auto root = find_root(command.locations, project_file(command.locations, around), around);
  if (!root) return print_refusal(console, root.error());
  const auto& config = command.locations.config;
  return print_config(
      snippet_for(command.print_config,
                  StdioServer{.program = program(),
                              .root = *root,
                              .config = config.empty() ? config : absolute(config, around)}),
      console);
}

int print_http_config(const ServeCommand& command, Console& console, const Surroundings& around) {
  const Config config = load(command.locations, around);
  if (config.has_errors()) return refuse_start(config, console, around);
  const auto root = find_root(command.locations, config.project, around);
  if (!root) return print_refusal(console, root.error());
  const auto token = token_of(state_folder(*root, around), around);
  if (!token) return print_refusal(console, token.error());
  const std::string& listen = command.listen.empty() ? config.serve.listen : command.listen;
  return print_config(
      snippet_for(command.print_config,
                  HttpServer{.url = "http://" + listen + "/mcp", .token = token->reveal()}),
      console);
}

}  // namespace helve::host
