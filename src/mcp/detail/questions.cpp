#include "mcp/detail/questions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "mcp/detail/asking.h"
#include "mcp/detail/messages.h"

namespace helve::mcp {
namespace {

namespace asio = boost::asio;

// Until a response or the end of the call. The timer never fires by itself.
asio::awaitable<void> wait(Question& question, tool::Cancellation& cancellation) {
  asio::steady_timer timer(co_await asio::this_coro::executor, Clock::time_point::max());
  const std::shared_ptr<void> unhook(nullptr, [&](void*) {
    question.answered = nullptr;
    cancellation.on_request({});
  });
  question.answered = [&timer] { timer.cancel(); };
  cancellation.on_request([&timer](Duration) { timer.cancel(); });
  boost::system::error_code error;
  if (!question.response && !cancellation.requested()) {
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace

asio::awaitable<std::optional<Response>> Questions::ask(std::shared_ptr<Running> running,
                                                        const tool::InputRequest& request) {
  const std::string id = "helve-" + std::to_string(++peer_.asked_);
  Question question;
  const std::shared_ptr<void> entry(nullptr,
                                    [peer = &peer_, id](void*) { peer->questions_.erase(id); });
  peer_.questions_.emplace(id, &question);
  running->sink->notify(
      encode_request(id, request.method, question_params(request, running->wire)));
  co_await wait(question, *running->cancellation);
  // A person may still be looking at it.
  if (!question.response && !peer_.ended_) running->sink->notify(encode_cancelled(id));
  co_return std::move(question.response);
}

void Questions::receive(Response response) {
  if (!response.id.is_string()) return;
  const auto entry = peer_.questions_.find(std::string(as_text(response.id)));
  if (entry == peer_.questions_.end() || entry->second->response) return;
  Question& question = *entry->second;
  question.response = std::move(response);
  if (question.answered) question.answered();
}

}  // namespace helve::mcp
