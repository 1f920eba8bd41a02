// The bounds of a configuration file: "limits" and "jobs".
#include <algorithm>

#include "host/detail/fields.h"
#include "host/detail/reader.h"

namespace helve::host {
namespace {

// A whole number from 1; what is none has been reported already.
std::optional<std::uint64_t> positive(const JsonObject& object, const char* name) {
  const Json* value = find(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_uint64()) return value->get_uint64();
  if (!value->is_int64() || value->get_int64() < 1) return std::nullopt;
  return static_cast<std::uint64_t>(value->get_int64());
}

void tighten(const JsonObject& limits, const char* name, std::optional<std::uint64_t>& into) {
  if (const auto value = positive(limits, name)) into = std::min(*value, into.value_or(*value));
}

}  // namespace

void Reader::read_jobs(const JsonObject& object) {
  const std::optional<std::uint64_t> jobs = positive(object, "jobs");
  if (!jobs) return;
  if (*jobs <= kMostJobs) {
    config.jobs = static_cast<std::int64_t>(*jobs);
  } else {
    report("/jobs", refuse("config.too_many_jobs", {{"most", std::to_string(kMostJobs)}}).error());
  }
}

void Reader::read_limits(const JsonObject& limits, bool trusted) {
  check_object(limits, "/limits", limit_fields(),
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  read_bound(limits, "template_bytes", config.template_limits.template_bytes, trusted);
  read_bound(limits, "words", config.template_limits.words, trusted);
  read_bound(limits, "depth", config.template_limits.depth, trusted);
  read_bound(limits, "nodes", config.template_limits.nodes, trusted);
  read_bound(limits, "argument_bytes", config.template_limits.argument_bytes, trusted);
  read_bound(limits, "total_bytes", config.template_limits.total_bytes, trusted);
  read_bound(limits, "plan_bytes", config.template_limits.plan_bytes, trusted);
  read_bound(limits, "pipe_bytes", config.streams.pipe_bytes, trusted);
  read_bound(limits, "spill_bytes", config.streams.spill_bytes, trusted);
  tighten(limits, "cpu_seconds", config.process_limits.cpu_seconds);
  tighten(limits, "memory_bytes", config.process_limits.memory_bytes);
  tighten(limits, "file_bytes", config.process_limits.file_bytes);
  tighten(limits, "open_files", config.process_limits.open_files);
  config.policy.limits = config.process_limits;
  read_call_limits(limits, trusted);
}

void Reader::read_call_limits(const JsonObject& limits, bool trusted) {
  if (is_within(limits, "session_jobs", 1, kMostSessionJobs)) {
    read_bound(limits, "session_jobs", config.calls.session_jobs, trusted);
  }
  if (is_within(limits, "wait_ms", kLeastWaitMs, kMostWaitMs)) {  // nobody's limit: any file's
    config.calls.wait_ms = positive(limits, "wait_ms").value_or(config.calls.wait_ms);
  }
}

bool Reader::is_within(const JsonObject& limits, const char* name, std::uint64_t least,
                       std::uint64_t most) {
  const std::optional<std::uint64_t> value = positive(limits, name);
  if (!value || (*value >= least && *value <= most)) return true;
  report(pointer_to("/limits", name),
         refuse("config.out_of_range",
                {{"field", name}, {"least", std::to_string(least)}, {"most", std::to_string(most)}})
             .error());
  return false;
}

// A limit that has a default: only trusted files raise it.
void Reader::read_bound(const JsonObject& limits, const char* name, size_t& into, bool trusted) {
  const std::optional<std::uint64_t> value = positive(limits, name);
  if (value && *value > into && !trusted) {
    report(
        pointer_to("/limits", name),
        refuse("config.limit_raised", {{"field", name}, {"most", std::to_string(into)}}).error());
  } else if (value) {
    into = *value;
  }
}

}  // namespace helve::host
