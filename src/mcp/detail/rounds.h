// mcp/detail/rounds.h
//
// A call or prompt that has to ask before it can answer. A modern client gets the questions as the
// result and repeats the request with its answers; one that shook hands is asked during the request
// and never notices. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "mcp/detail/running.h"
#include "mcp/server.h"

namespace helve::mcp {

inline constexpr size_t kMostRounds = 16;  // of questions, in one request of a handshake client

// One request for a tool or a prompt, as often as it has to be taken up.
struct Work {
  Server& server;
  std::shared_ptr<Peer> peer;
  std::shared_ptr<Running> running;
  std::shared_ptr<const tool::Tool> tool;  // null for a prompt
  Json arguments;                          // as they came
  tool::Asks asks;
  std::string idempotency_key;
};

// The message that ends a request; `code` is that of an error, or 0.
struct Done {
  std::string message;
  int code = 0;
};
using Turn = std::variant<Done, tool::Needs>;

// What a modern client brings back for an earlier round. -32602 for a state that is not ours, not
// of this request or this caller, too old or used already.
std::expected<tool::Round, ProtocolError> read_round(const Work& work, const JsonObject& params);

// What the registry is asked, and what its answer means. The arguments go with it if no other round
// can follow.
tool::CallRequest request_of(Work& work, tool::Round round);
Turn turn_of(const Work& work, tool::Answer answer);
Turn turn_of(const Work& work, Result<tool::PromptAnswer> answer);

// How it goes on after `rounds` of questions: with the answers of a client that could be asked, or,
// for now or for good, not at all.
boost::asio::awaitable<std::expected<tool::Round, Done>> next_round(const Work& work,
                                                                    tool::Needs needs,
                                                                    size_t rounds);

}  // namespace helve::mcp
