#include "mcp/stdio.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

#include "mcp/detail/channel.h"
#include "mcp/detail/link.h"
#include "os/signals.h"
#include "os/watch.h"

namespace helve::mcp {
namespace {

boost::asio::awaitable<void> end_on_signal(std::shared_ptr<os::Signals> signals,
                                           std::shared_ptr<Link> link) {
  if (co_await signals->next() != 0) link->end();
}

// A parent can die while another process keeps our input open. PR_SET_PDEATHSIG alone would not do:
// it is about the thread that started us, which may end long before its process.
void end_with_parent(os::Watch& watch, const std::shared_ptr<Link>& link) {
  const pid_t parent = ::getppid();
  if (parent <= 1) return;
  os::UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, parent, 0)));
  if (!handle) {
    if (errno == ESRCH) return link->end();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a kernel without pidfd
    return;
  }
  if (::getppid() != parent) return link->end();
  if (watch.open(std::move(handle)) != 0) return;
  watch.readable([link](const boost::system::error_code& error) {
    if (!error) link->end();
  });
}

}  // namespace

boost::asio::awaitable<void> serve_stdio(os::Loop& loop, Server& server,
                                         std::shared_ptr<tool::Session> session) {
  os::ignore_sigpipe();
  const auto signals =
      std::make_shared<os::Signals>(loop, std::initializer_list<int>{SIGTERM, SIGINT, SIGHUP});
  Stdio stdio = take_stdio();
  const auto link = std::make_shared<Link>(loop, server, std::move(session), std::move(stdio.in),
                                           std::move(stdio.out));
  loop.spawn(end_on_signal(signals, link));
  os::Watch parent(loop);
  end_with_parent(parent, link);
  co_await link->serve();
  signals->close();
}

}  // namespace helve::mcp
