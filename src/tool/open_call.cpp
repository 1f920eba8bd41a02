#include "tool/detail/open_call.h"

namespace helve::tool {
namespace {

template <typename T>
std::function<void(T)> or_nothing(std::function<void(T)> react) {
  return react ? std::move(react) : [](const T&) {};
}

}  // namespace

Call make_call(Session& session, CallRequest& request, JsonObject arguments,
               policy::Permit permit) {
  const bool told = static_cast<bool>(request.progress);
  return {.tool = request.tool,
          .arguments = std::move(arguments),
          .session = session,
          .cancellation = request.cancellation,
          .progress = or_nothing<Progress>(request.progress),
          .waits_long = told,
          .log = or_nothing<LogEntry>(request.log),
          .round = std::move(request.round),
          .can_ask = request.can_ask,
          .permit = std::move(permit)};
}

}  // namespace helve::tool
