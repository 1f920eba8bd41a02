// `helve serve`: any number of clients over HTTP.
#include "host/serve.h"

#include <csignal>

#include "base/text.h"
#include "base/texts.h"
#include "host/address.h"
#include "host/control.h"
#include "host/detail/starting.h"
#include "host/reload.h"
#include "host/tokens.h"
#include "http/server.h"
#include "mcp/http.h"
#include "os/limits.h"
#include "os/signals.h"
#include "os/waiting.h"
#include "process/leftovers.h"

namespace helve::host {
namespace {

using namespace std::chrono_literals;

constexpr Duration kGrace = 500ms;    // the end of the host (decisions, section 5)
constexpr Duration kCalls = 850ms;    // after the end: no call is waited for any longer
constexpr Duration kAnswers = 950ms;  // nor is an answer on its way

std::vector<std::string> joined(std::vector<std::string> all,
                                const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// What is allowed to serve: command line over configuration.
struct Terms {
  std::string listen;
  bool loopback = true;
  std::vector<std::string> hosts, origins;
};

// Beyond loopback anybody on the network may knock, and a page in a browser may send them: without
// a list of names that is refused, not warned of (decisions, section 7).
Result<Terms> terms_of(const ServeCommand& command, const Serve& configured) {
  const std::string listen = command.listen.empty() ? configured.listen : command.listen;
  const auto address = parse_address(listen);
  if (!address) return std::unexpected(address.error());
  Terms terms{.listen = listen,
              .loopback = address->loopback,
              .hosts = joined(configured.hosts, command.hosts),
              .origins = joined(configured.origins, command.origins)};
  if (!terms.loopback && terms.hosts.empty()) {
    return refuse("serve.no_hosts", {{"listen", listen}});
  }
  return terms;
}

std::function<std::optional<std::string>(std::string_view)> principals(const Token& token) {
  return [token](std::string_view sent) -> std::optional<std::string> {
    if (!token.matches(sent)) return std::nullopt;
    return "token";
  };
}

// Everything that lives while the server does, in the order in which it goes.
struct Serving {
  os::Loop& loop;
  Service& service;
  mcp::HttpFace& face;
  http::Server& server;
  std::optional<Reload>& reload;
  std::optional<Control>& control;
  Console& console;
};

boost::asio::awaitable<void> until_idle(Serving serving, Clock::time_point latest) {
  co_await os::wait_until(
      [&](const std::function<void()>& react) { serving.service.sessions().when_idle(react); },
      latest);
}

// TERM, INT and HUP end it: calls and their processes first, then what is still being sent.
boost::asio::awaitable<void> end_on_signal(Serving serving) {
  os::Signals signals(serving.loop, {SIGTERM, SIGINT, SIGHUP});
  co_await signals.next();
  serving.console.err << text("serve.ending") << '\n' << std::flush;
  const auto now = Clock::now();
  serving.face.end();
  serving.service.sessions().end(kGrace);
  co_await until_idle(serving, now + kCalls);
  co_await serving.server.close(now + kAnswers);
  serving.reload.reset();
  serving.control.reset();
}

// The address and its names are those of the start.
std::function<void(const Config&)> take_over(const Serving& serving, const Serve& at_start) {
  return [apply = apply_to(serving.service, serving.console), at_start,
          &console = serving.console](const Config& config) {
    apply(config);
    if (config.serve != at_start)
      console.err << text("reload.serve_at_start") << '\n' << std::flush;
  };
}

void say_where(const std::string& address, const std::filesystem::path& root, Console& console) {
  console.err << text("serve.listening", {{"url", "http://" + address + "/mcp"},
                                          {"address", address},
                                          {"root", shell_quote(root.string())}})
              << '\n'
              << std::flush;
}

// Who is turned away is told to the owner, but nobody can fill the log with it.
std::function<void(unsigned, const http::Request&)> tell_refused(Console& console) {
  static constexpr Duration kBetween = 1s;
  return [&console, told = Clock::time_point()](unsigned status,
                                                const http::Request& request) mutable {
    const auto now = Clock::now();
    if (now - told < kBetween) return;
    told = now;
    console.err << text("serve.refused." + std::to_string(status), {{"remote", request.remote}})
                << '\n'
                << std::flush;
  };
}

}  // namespace

int serve_command(const ServeCommand& command, Console& console, const Surroundings& around) {
  if (!command.print_config.empty()) return print_http_config(command, console, around);
  auto starting = load_to_serve(command.locations, console, around);
  if (!starting) return starting.error();
  const auto terms = terms_of(command, starting->config.serve);
  if (!terms) return print_refusal(console, terms.error());
  const auto token = token_of(state_folder(starting->root, around), around);
  if (!token) return print_refusal(console, token.error());
  auto guard = mcp::Guard::make(terms->hosts, terms->origins);
  if (!guard) return print_refusal(console, guard.error());

  os::ignore_sigpipe();
  os::raise_open_files();
  os::Loop loop;
  Service service(loop,
                  {.config = starting->config,
                   .root = starting->root,
                   .around = around,
                   .usual = terms->loopback ? policy::Profile::kOpen : policy::Profile::kCareful,
                   .reach = terms->loopback ? workspace::Reach::kOpen : workspace::Reach::kRoots});
  if (auto started = service.start(starting->config); !started) {
    return print_refusal(console, started.error());
  }
  mcp::HttpFace face(loop, service.server(), service.sessions(),
                     {.guard = *std::move(guard),
                      .principal_of = principals(*token),
                      .refused = tell_refused(console)});
  http::Server server(loop, face);
  const auto listening = server.listen(terms->listen);
  if (!listening) return print_refusal(console, listening.error());
  say_where(*listening, starting->root, console);
  if (!terms->loopback) console.err << text("serve.plain") << '\n' << std::flush;
  std::optional<Reload> reload;
  std::optional<Control> control;
  control.emplace(loop, service.sessions(), state_folder(starting->root, around), console);
  const Serving serving{loop, service, face, server, reload, control, console};
  reload.emplace(loop, pinned(command.locations, around), around, console,
                 take_over(serving, starting->config.serve));
  loop.spawn(end_on_signal(serving));
  loop.run();
  process::end_strays();
  return kDone;
}

}  // namespace helve::host
