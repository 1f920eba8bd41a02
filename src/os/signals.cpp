#include "os/signals.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

namespace helve::os {

void ignore_sigpipe() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

Signals::Signals(Loop& loop, std::initializer_list<int> numbers) : set_(loop.context()) {
  for (const int number : numbers) set_.add(number);
}

boost::asio::awaitable<int> Signals::next() {
  const auto [error, number] =
      co_await set_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return error ? 0 : number;
}

void Signals::close() { set_.cancel(); }

}  // namespace helve::os
