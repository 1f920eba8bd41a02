#include "tool/detail/job_text.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

constexpr std::string_view kJobKey = "io.helve/job";

Duration age_of(const Job& job) { return job.ended() ? job.took : Clock::now() - job.started; }

JsonObject facts(const Job& job, std::uint64_t cursor) {
  return {{"id", job.id},
          {"tool", job.tool},
          {"state", state_of(job)},
          {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(age_of(job)).count()},
          {"cursor", cursor},
          {"more", cursor < job.log.end()}};
}

std::string cursor_text(const Job& job, std::uint64_t cursor) {
  const char* key = cursor < job.log.end() ? "job.more"
                    : job.ended()          ? "job.nothing_more"
                                           : "job.nothing_yet";
  return text(key, {{"job", job.id}, {"cursor", std::to_string(cursor)}});
}

}  // namespace

std::string_view state_of(const Job& job) {
  if (!job.answer) return "running";
  if (!job.answer->is_error) return "done";
  return job.cancellation->requested() ? "stopped" : "failed";
}

std::string job_line(const Job& job) {
  return text("job.line." + std::string(state_of(job)),
              {{"job", job.id}, {"tool", job.tool}, {"time", duration_text(age_of(job))}});
}

Answer handle_answer(Job& job, size_t budget) {
  Answer answer = page_answer(job, 0, budget);
  answer.text = text("job.handle", {{"tool", job.tool},
                                    {"job", job.id},
                                    {"time", duration_text(age_of(job))},
                                    {"page", answer.text}});
  return answer;
}

Answer page_answer(Job& job, std::uint64_t cursor, size_t budget) {
  const JobLog::Page page = job.log.read(cursor, budget);
  job.read = page.next;
  Answer answer;
  // What the job's answer has beside its text comes with the text's end.
  if (job.answer && page.next == job.log.end()) answer = *job.answer;
  answer.is_error = false;
  answer.structured.reset();
  answer.text = job_line(job) + '\n';
  if (page.skipped > 0) {
    answer.text += text("job.skipped", {{"bytes", std::to_string(page.skipped)}}) + '\n';
  }
  answer.text += page.text;
  if (!answer.text.ends_with('\n')) answer.text += '\n';
  answer.text += cursor_text(job, page.next);
  answer.meta[kJobKey] = facts(job, page.next);
  return answer;
}

}  // namespace helve::tool
