// `--print-config HOST` of `helve mcp` and `helve serve`: what a host is to be told.
#include "host/address.h"
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

// Where clients reach it. One that listens on every address is reached by the first name that it is
// told to answer to, and nobody can tell a port that is not chosen yet.
Result<std::string> authority_of(const ServeCommand& command, const Serve& configured) {
  const std::string& listen = command.listen.empty() ? configured.listen : command.listen;
  const auto address = parse_address(listen);
  if (!address) return std::unexpected(address.error());
  if (address->port == 0) return refuse("serve.port_open", {{"listen", listen}});
  if (address->host != "0.0.0.0" && address->host != "::") return listen;
  const auto& names = command.hosts.empty() ? configured.hosts : command.hosts;
  if (names.empty()) return refuse("serve.no_hosts", {{"listen", listen}});
  const std::string& name = names.front();
  const bool has_port = name.rfind(':') != std::string::npos && !name.ends_with(']');
  return has_port ? name : name + ':' + std::to_string(address->port);
}

}  // namespace

int print_stdio_config(const ServeCommand& command, Console& console, const Surroundings& around) {
  const auto root = find_root(command.locations, project_file(command.locations, around), around);
  if (!root) return print_refusal(console, root.error());
  const auto& config = command.locations.config;
  return print_config(
      snippet_for(command.print_config,
                  StdioServer{.name = server_name(*root),
                              .program = program(),
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
  const auto authority = authority_of(command, config.serve);
  if (!authority) return print_refusal(console, authority.error());
  return print_config(
      snippet_for(command.print_config, HttpServer{.name = server_name(*root),
                                                   .url = "http://" + *authority + "/mcp",
                                                   .token = token->reveal()}),
      console);
}

}  // namespace helve::host
