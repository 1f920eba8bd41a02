#include "mcp/detail/rounds.h"

#include "mcp/detail/asking.h"
#include "mcp/detail/logs.h"
#include "mcp/detail/methods.h"
#include "mcp/detail/questions.h"
#include "mcp/detail/ticker.h"

namespace helve::mcp {
namespace {

namespace asio = boost::asio;

// By value: the state of another caller or for other arguments is none of ours.
StateBinding binding_of(const Work& work) {
  return {work.peer->session()->principal(), work.tool ? "tools/call" : "prompts/get",
          work.running->name, work.arguments};
}

// Also without a state: a tool may need nothing but the answers.
std::expected<JsonObject, ProtocolError> read_inputs(const JsonObject& params) {
  const Json* inputs = params.if_contains("inputResponses");
  if (inputs == nullptr) return JsonObject();
  if (!inputs->is_object()) return bad_param("inputResponses", "object");
  for (const auto& [key, input] : inputs->get_object()) {
    if (!input.is_object()) return bad_param("inputResponses." + std::string(key), "object");
  }
  return inputs->get_object();
}

bool is_about_parameters(const Refusal& refusal) {
  return refusal.rule == "prompt.unknown" || refusal.rule == "prompt.argument" ||
         refusal.rule == "args.invalid";
}

Done failed_with(const Work& work, const ProtocolError& error) {
  return {encode_error(work.running->id, error), static_cast<int>(error.code)};
}

// The model reads why a tool has failed, and the program why a prompt has.
Done failed(const Work& work, const ProtocolError& error) {
  if (!work.tool) return failed_with(work, error);
  const Running& running = *work.running;
  return {encode_answer(running.id, tool::refusal_answer(error.what), running.wire, false)};
}

Done cannot_ask(const Work& work, JsonObject missing) {
  const bool modern = work.running->wire.modern;
  const Texts names{{"capabilities", capability_names(missing)}};
  const Json details = modern ? JsonObject{{"requiredCapabilities", std::move(missing)}} : Json();
  const auto code = modern ? ErrorCode::kCapabilityMissing : ErrorCode::kInternal;
  const ProtocolError error = fail(code, "mcp.client_cannot", names, details).error();
  return modern ? failed_with(work, error) : failed(work, error);
}

Done ask_in_result(const Work& work, tool::Needs needs) {
  const Running& running = *work.running;
  const auto state = work.server.seal().seal(
      binding_of(work), JsonObject{{"state", std::move(needs.state)}}, WallClock::now());
  if (!state) return failed(work, {ErrorCode::kInternal, state.error()});
  JsonObject requests;
  for (tool::InputRequest& request : needs.requests) {
    requests[request.key] =
        JsonObject{{"method", request.method}, {"params", std::move(request.params)}};
  }
  return {encode_needs(running.id, std::move(requests), *state, running.wire)};
}

// Whether the same arguments may be needed once more.
bool can_follow(const Work& work) {
  const tool::Asks& asks = work.asks;
  return asks.form || asks.url || asks.sampling || asks.roots;
}

// A form that the client could not show counts as one that the person closed. Nobody can answer in
// place of a model or a list of folders.
std::expected<Json, ProtocolError> read_response(const tool::InputRequest& request,
                                                 Response response) {
  if (!response.error) return std::move(response.result);
  if (request.method == "elicitation/create") return JsonObject{{"action", "cancel"}};
  return fail(ErrorCode::kInternal, "mcp.client_failed",
              {{"method", request.method}, {"reason", *response.error}});
}

// One after the other: a person answers one form at a time.
asio::awaitable<std::expected<JsonObject, ProtocolError>> ask_all(
    const Work& work, const std::vector<tool::InputRequest>& requests) {
  JsonObject inputs;
  for (const tool::InputRequest& request : requests) {
    auto response = co_await Questions(*work.peer).ask(work.running, request);
    if (!response) co_return fail(ErrorCode::kInternal, "mcp.cancelled");
    auto input = read_response(request, *std::move(response));
    if (!input) co_return std::unexpected(input.error());
    inputs[request.key] = *std::move(input);
  }
  co_return inputs;
}

}  // namespace

std::expected<tool::Round, ProtocolError> read_round(const Work& work, const JsonObject& params) {
  auto inputs = read_inputs(params);
  if (!inputs) return std::unexpected(inputs.error());
  const Json* state = params.if_contains("requestState");
  if (state == nullptr) return tool::Round{.inputs = *std::move(inputs)};
  if (!state->is_string()) return bad_param("requestState", "string");
  auto opened = work.server.seal().open(as_text(*state), binding_of(work), WallClock::now());
  if (!opened) {
    return std::unexpected(ProtocolError{ErrorCode::kInvalidParams, opened.error()});
  }
  return tool::Round{*std::move(inputs), std::move(opened->payload["state"])};
}

// Progress stays empty where nobody asked for it: whoever is told also waits for a job to its end.
tool::CallRequest request_of(Work& work, tool::Round round) {
  tool::CallRequest request{
      .tool = work.running->name,
      .arguments = can_follow(work) ? work.arguments : std::move(work.arguments),
      .round = std::move(round),
      .can_ask = work.asks,
      .cancellation = work.running->cancellation,
      .idempotency_key = work.idempotency_key};
  if (work.running->progress_token) {
    request.progress = [running = work.running](const tool::Progress& progress) {
      send_progress(*running, progress);
    };
  }
  if (work.running->log_from) {
    request.log = [running = work.running](const tool::LogEntry& entry) {
      send_log(*running, entry);
    };
  }
  return request;
}

Turn turn_of(const Work& work, tool::Answer answer) {
  if (auto& needs = answer.needs) return *std::move(needs);
  const Running& running = *work.running;
  const bool wrap = needs_wrapping(*work.tool, running.wire);
  return Done{encode_answer(running.id, answer, running.wire, wrap)};
}

Turn turn_of(const Work& work, Result<tool::PromptAnswer> answer) {
  if (!answer) {
    const auto code =
        is_about_parameters(answer.error()) ? ErrorCode::kInvalidParams : ErrorCode::kInternal;
    return failed_with(work, {code, answer.error()});
  }
  if (auto& needs = answer->needs) return *std::move(needs);
  JsonObject result;
  if (!answer->description.empty()) result["description"] = answer->description;
  result["messages"] = std::move(answer->messages);
  return Done{encode_result(work.running->id, std::move(result), work.running->wire)};
}

asio::awaitable<std::expected<tool::Round, Done>> next_round(const Work& work, tool::Needs needs,
                                                             size_t rounds) {
  // A question to nobody would go round for ever: a bug of that tool.
  if (needs.requests.empty()) {
    co_return std::unexpected(failed_with(
        work, fail(ErrorCode::kInternal, "mcp.internal", {{"what", work.running->name}}).error()));
  }
  JsonObject missing = missing_capabilities(needs.requests, work.asks);
  if (!missing.empty()) co_return std::unexpected(cannot_ask(work, std::move(missing)));
  if (work.running->wire.modern) co_return std::unexpected(ask_in_result(work, std::move(needs)));
  if (rounds >= kMostRounds) {
    const Texts limit{{"limit", std::to_string(kMostRounds)}};
    co_return std::unexpected(
        failed(work, fail(ErrorCode::kInternal, "mcp.too_many_rounds", limit).error()));
  }
  const tool::Session::Use use(*work.peer->session());
  auto inputs = co_await ask_all(work, needs.requests);
  if (!inputs) co_return std::unexpected(failed(work, inputs.error()));
  co_return tool::Round{*std::move(inputs), std::move(needs.state)};
}

}  // namespace helve::mcp
