// `helve mcp`: one client on stdin and stdout.
#include "host/control.h"
#include "host/detail/starting.h"
#include "host/reload.h"
#include "host/serve.h"
#include "mcp/stdio.h"
#include "process/leftovers.h"

namespace helve::host {
namespace {

// Ends with its client; nothing then keeps the loop.
boost::asio::awaitable<void> serve_client(os::Loop& loop, Service& service,
                                          std::optional<Reload>& reload,
                                          std::optional<Control>& control) {
  auto session = service.sessions().open(tool::Session::Memory::kOwn);
  if (session) co_await mcp::serve_stdio(loop, service.server(), *session);
  reload.reset();
  control.reset();
}

}  // namespace

int mcp_command(const ServeCommand& command, Console& console, const Surroundings& around) {
  if (!command.print_config.empty()) return print_stdio_config(command, console, around);
  auto starting = load_to_serve(command.locations, console, around);
  if (!starting) return starting.error();
  os::Loop loop;
  Service service(loop, {.config = starting->config, .root = starting->root, .around = around});
  if (auto started = service.start(starting->config); !started) {
    return print_refusal(console, started.error());
  }
  std::optional<Reload> reload;
  reload.emplace(loop, pinned(command.locations, around), around, console,
                 apply_to(service, console));
  std::optional<Control> control;
  control.emplace(loop, service.sessions(), state_folder(starting->root, around), console);
  loop.spawn(serve_client(loop, service, reload, control));
  loop.run();
  process::end_strays();
  return kDone;
}

}  // namespace helve::host
