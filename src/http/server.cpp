#include "http/server.h"

#include <vector>

#include "http/detail/listener.h"
#include "http/detail/registry.h"

namespace helve::http {

struct Server::State {
  std::shared_ptr<Registry> registry;
  std::vector<std::shared_ptr<Listener>> listeners;

  void stop_listening() {
    for (const auto& listener : listeners) listener->close();
    listeners.clear();
  }
};

Server::Server(os::Loop& loop, Handler& handler, Limits limits)
    : state_(std::make_shared<State>(std::make_shared<Registry>(loop, handler, limits))) {}

Server::~Server() {
  state_->stop_listening();
  state_->registry->close_all();
}

Result<std::string> Server::listen(const std::string& address) {
  auto listener = std::make_shared<Listener>(state_->registry);
  Result<std::string> actual = listener->open(address);
  if (actual) state_->listeners.push_back(std::move(listener));
  return actual;
}

size_t Server::connections() const { return state_->registry->size(); }

boost::asio::awaitable<void> Server::close(Clock::time_point latest) {
  state_->stop_listening();
  co_await state_->registry->close(latest);
}

}  // namespace helve::http
