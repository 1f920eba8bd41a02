// tool/registry.h
//
// The tools, prompts and resources that a face offers, and the one way to call a tool: coerce (R9),
// validate, ask the policy, run, bound (decisions, sections 4, 6 and 7). The owner's tools and
// prompts can be replaced while it serves; calls under way keep what they began with. Loop thread
// only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "tool/answer_size.h"
#include "tool/call_record.h"
#include "tool/offers.h"
#include "tool/repeats.h"
#include "tool/session.h"
#include "tool/tool.h"

namespace helve::tool {

// Something that clients may have cached is not so any more.
struct Change {
  enum class What { kTools, kPrompts, kResources, kResource };
  What what = What::kTools;
  std::string uri;  // of kResource
};

struct CallRequest {
  std::string tool;
  // As the host sent them: an object, the text of one, or null for none (R9).
  Json arguments = nullptr;
  Round round;
  Asks can_ask;
  std::shared_ptr<Cancellation> cancellation;
  // Empty: nobody asked. Whoever is told of progress also waits for a job to its end (R6).
  std::function<void(Progress)> progress;
  std::function<void(LogEntry)> log;
  std::string via;  // the tool of ours that it came through: tool_call; empty: none
  // The caller's own name of this call (decisions, section 1); empty: none.
  std::string idempotency_key;
};

class Registry {
 public:
  Registry();
  ~Registry();

  // Refused: tool.name_invalid {name}, tool.name_taken {name}, tool.schema_invalid and
  // tool.schema_not_portable {name, pointer, reason} (R7, R8).
  Result<void> add(Tool tool);
  Result<void> add(Prompt prompt);
  void add(ResourceProvider provider);

  // The owner's tools and prompts, in front of all others, in place of those from before: all of
  // them or, if one is refused, none. Listeners are told if a list of them reads differently.
  Result<void> set_owned(std::vector<Tool> tools, std::vector<Prompt> prompts);

  // Stable order; the deferred ones too.
  std::vector<std::shared_ptr<const Tool>> tools() const;
  std::vector<std::shared_ptr<const Prompt>> prompts() const;
  std::shared_ptr<const Tool> find(std::string_view name) const;  // null if there is none
  const std::vector<ResourceProvider>& resources() const { return resources_; }

  // Told of each call once it was answered.
  void on_called(std::function<void(const CallRecord&)> react) { called_ = std::move(react); }

  void set_policy(policy::Policy policy) { policy_ = std::move(policy); }

  // Always an answer: a refusal is rendered into it (isError, `io.helve/refusal`), and the encoded
  // answer is within `answer_limit` characters (R4). An unknown tool is tool.unknown {tool}.
  boost::asio::awaitable<Answer> call(std::shared_ptr<Session> session, CallRequest request);

  // Refused: prompt.unknown {prompt}, prompt.failed {prompt, reason}, args.invalid; without
  // progress also prompt.too_long {prompt, time}.
  boost::asio::awaitable<Result<PromptAnswer>> get_prompt(std::shared_ptr<Session> session,
                                                          CallRequest request);

  // What a prompt's argument, or the variable of a resource template, may be; at most 100 that
  // begin with `value`, and how many there are. Refused: prompt.unknown, resource.not_found.
  struct Completion {
    std::vector<std::string> values;
    size_t total = 0;
  };
  Result<Completion> complete_prompt(std::string_view prompt, std::string_view argument,
                                     std::string_view value) const;
  Result<Completion> complete_resource(Session& session, std::string_view uri_template,
                                       std::string_view variable, std::string_view value) const;

  // Tells those who listen. A listener stays as long as the registry.
  void changed(const Change& change);
  void on_change(std::function<void(const Change&)> react);

  size_t answer_limit = kAnswerLimit;
  Duration wait = std::chrono::seconds(20);         // until a call becomes a job; at most 45 s
  Duration prompt_wait = std::chrono::seconds(45);  // a prompt has no handle to go on with (R6)
  JobNames job_names;                               // of the tools that follow jobs
  bool portable_only = true;  // refuse schemas that some hosts do not take (R7)

 private:
  struct Row;
  struct PromptRow;
  using Attempt = boost::asio::awaitable<Result<Answer>>;

  Result<std::shared_ptr<const Row>> make_row(Tool tool) const;
  Result<std::shared_ptr<const PromptRow>> make_row(Prompt prompt) const;
  std::shared_ptr<const Row> find_row(std::string_view name) const;
  std::shared_ptr<const PromptRow> find_prompt(std::string_view name) const;

  // The steps of a call (tool/call.cpp).
  boost::asio::awaitable<Answer> unrecorded(std::shared_ptr<Session> session, CallRequest request);
  void record(const CallRecord& begun, const Answer& answer, bool cancelled,
              Clock::time_point began) const;
  boost::asio::awaitable<Answer> answer(std::shared_ptr<Session> session,
                                        std::shared_ptr<const Row> row, CallRequest request,
                                        bool* ran = nullptr);
  boost::asio::awaitable<Answer> once(std::shared_ptr<Session> session,
                                      std::shared_ptr<const Row> row, CallRequest request);
  Attempt attempt(std::shared_ptr<Session> session, std::shared_ptr<const Row> row,
                  CallRequest request, bool* ran);
  Attempt run_job(std::shared_ptr<Session> session, std::shared_ptr<const Row> row,
                  CallRequest request, JsonObject arguments, policy::Permit permit);
  Answer finish(const Row& row, Result<Answer> outcome) const;
  Answer refused(const Refusal& refusal, const Tool& tool) const;

  std::vector<std::shared_ptr<const Row>> owned_, own_;
  std::vector<std::shared_ptr<const PromptRow>> owned_prompts_, own_prompts_;
  std::vector<ResourceProvider> resources_;
  std::vector<std::function<void(const Change&)>> listeners_;
  std::function<void(const CallRecord&)> called_;
  policy::Policy policy_;
  Repeats repeats_;
};

// A name that every host takes (R8).
bool is_tool_name(std::string_view name);

// A refusal as every face answers it (decisions, section 4).
Answer refusal_answer(const Refusal& refusal);

}  // namespace helve::tool
