#include <algorithm>

#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"
#include "tool/detail/bound.h"
#include "tool/detail/job_text.h"

namespace helve::tool {
namespace {

constexpr std::string_view kJobKey = "io.helve/job", kDataKey = "io.helve/data";
constexpr PageSize kFirstPage = {.bytes = 8000, .encoded = 8000};  // goes with the handle
constexpr size_t kTailBytes = JobLog::kTail;
constexpr PageSize kLastWords = {.bytes = 8 * 1024, .encoded = 16'000};

Duration age_of(const Job& job) { return job.ended() ? job.took : Clock::now() - job.started; }

std::string plain_state(const Job& job) {
  if (!job.answer) return "running";
  if (!job.answer->is_error) return "done";
  return job.cancellation->requested() ? "stopped" : "failed";
}

JsonObject facts(const Job& job, const JobLog::Page& page) {
  JsonObject facts = {
      {"id", job.id},
      {"tool", job.tool},
      {"state", plain_state(job)},
      {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(age_of(job)).count()},
      {"from", page.from},
      {"cursor", page.next},
      {"more", page.next < job.log.end()},
      {"skipped", page.skipped}};
  if (!job.status) return facts;
  for (const auto& [key, value] : job.status(job).facts) {
    if (key != "cursor") facts[key] = value;
  }
  return facts;
}

std::string cursor_text(const Job& job, std::uint64_t cursor) {
  const char* key = cursor < job.log.end() ? "job.more"
                    : job.ended()          ? "job.nothing_more"
                                           : "job.nothing_yet";
  return text(key, {{"job", job.id}, {"cursor", std::to_string(cursor)}});
}

void note_read(Job& job, const JobLog::Page& page) {
  job.read = page.next;
  if (job.ended() && page.next == job.log.end() && !job.read_up) job.read_up = Clock::now();
}

// What the job's answer has beside its text comes with the text's end.
Answer frame(const Job& job, bool last) {
  Answer answer;
  if (job.answer && last) answer = *job.answer;
  answer.is_error = false;
  answer.structured.reset();
  answer.text.clear();
  return answer;
}

// As every tool of the desk tells its facts, and where jobs always had them.
void add_facts(Answer& answer, JsonObject facts, const JsonObject& more = {}) {
  for (const auto& [key, value] : more) facts[key] = value;
  answer.meta[kDataKey] = facts;
  answer.meta[kJobKey] = std::move(facts);
}

}  // namespace

std::string state_of(const Job& job) {
  if (job.status) {
    const JobStatus status = job.status(job);
    const Json* state = find(status.facts, "state");
    if (state != nullptr && state->is_string()) return std::string(as_text(*state));
  }
  return plain_state(job);
}

std::string job_line(const Job& job) {
  if (job.status) return job.status(job).line;
  return text("job.line." + plain_state(job),
              {{"job", job.id}, {"tool", job.tool}, {"time", duration_text(age_of(job))}});
}

boost::asio::awaitable<Answer> handle_answer(std::shared_ptr<Job> job, JobNames names) {
  Answer answer = co_await page_answer(job, 0, {.size = kFirstPage});
  answer.text = text("job.handle", {{"tool", job->tool},
                                    {"job", job->id},
                                    {"time", duration_text(age_of(*job))},
                                    {"output", names.output},
                                    {"stop", names.stop},
                                    {"page", answer.text}});
  co_return answer;
}

boost::asio::awaitable<Answer> page_answer(std::shared_ptr<Job> job, std::uint64_t cursor,
                                           Told told) {
  // What comes with the last page takes its room from the text.
  const size_t beside = encoded_size(frame(*job, true));
  told.size.encoded -= std::min(told.size.encoded / 2, beside);
  const JobLog::Page page = co_await job->log.fetch(cursor, told.size);
  note_read(*job, page);
  job->empty_polls = page.text.empty() ? job->empty_polls : 0;
  Answer answer = frame(*job, page.next == job->log.end());
  answer.text = job_line(*job) + '\n';
  for (const std::string& note : told.notes) answer.text += note + '\n';
  if (page.skipped > 0) {
    answer.text += text("job.skipped", {{"bytes", std::to_string(page.skipped)}}) + '\n';
  }
  answer.text += page.text;
  if (!answer.text.ends_with('\n')) answer.text += '\n';
  answer.text += cursor_text(*job, page.next);
  add_facts(answer, facts(*job, page), told.facts);
  co_return answer;
}

boost::asio::awaitable<Answer> last_words(std::shared_ptr<Job> job, std::uint64_t cursor,
                                          Told told) {
  cursor = std::min(cursor, job->log.end());
  if (job->log.end() - cursor <= kLastWords.bytes) {
    co_return co_await page_answer(job, cursor, std::move(told));
  }
  // With the byte before them, which tells whether they begin a line.
  const std::uint64_t from = job->log.end() - kLastWords.bytes - 1;
  const JobLog::Page kept =
      co_await job->log.fetch(from, {.bytes = kLastWords.bytes + 1, .encoded = SIZE_MAX});
  std::string_view shown = kept.text;
  const size_t line = shown.find('\n') + 1;
  if (line < shown.size()) shown.remove_prefix(line);
  shown = last_lines(shown, SIZE_MAX, kLastWords);
  const std::uint64_t begin = kept.from + kept.text.size() - shown.size();
  Answer answer = frame(*job, job->ended());
  answer.text = job_line(*job) + '\n';
  for (const std::string& note : told.notes) answer.text += note + '\n';
  answer.text += text("job.unread", {{"bytes", std::to_string(begin - cursor)},
                                     {"cursor", std::to_string(cursor)}}) +
                 '\n' + std::string(shown);
  add_facts(answer, facts(*job, {.from = begin, .next = cursor}), told.facts);
  co_return answer;
}

Refusal expired_job(const std::string& id, const std::string& status, WallClock::time_point ended,
                    const std::string& spill) {
  return refuse("job.expired",
                {{"job", id},
                 {"status", status},
                 {"ended", utc_text(ended)},
                 {"spill", spill.empty() ? "" : text("job.spill", {{"path", spill}})}})
      .error();
}

std::string_view last_lines(std::string_view text, size_t lines, PageSize size) {
  size_t at = text.ends_with('\n') ? text.size() - 1 : text.size();
  for (; lines > 0 && at != 0; --lines) {
    const size_t before = text.rfind('\n', at - 1);
    at = before == std::string_view::npos ? 0 : lines == 1 ? before + 1 : before;
  }
  text.remove_prefix(at);
  while (text.size() > size.bytes || encoded_size(text) > size.encoded) {
    const size_t line = text.find('\n') + 1;
    // A single line that is too long loses its beginning.
    text.remove_prefix(line == 0 || line == text.size()
                           ? utf8_ceil(text, std::max<size_t>(text.size() / 16, 1))
                           : line);
  }
  return text;
}

boost::asio::awaitable<Answer> tail_answer(std::shared_ptr<Job> job, std::uint64_t cursor,
                                           size_t lines) {
  const std::uint64_t from = job->log.end() - std::min<std::uint64_t>(job->log.end(), kTailBytes);
  const JobLog::Page kept =
      co_await job->log.fetch(from, {.bytes = kTailBytes, .encoded = SIZE_MAX});
  const std::string_view shown = last_lines(kept.text, lines, {});
  Answer answer;
  answer.text = job_line(*job) + '\n' + text("job.tail", {{"lines", std::to_string(lines)}}) +
                '\n' + std::string(shown);
  if (!answer.text.ends_with('\n')) answer.text += '\n';
  JobLog::Page page{.from = kept.from + kept.text.size() - shown.size(), .next = cursor};
  add_facts(answer, facts(*job, page));
  co_return answer;
}

}  // namespace helve::tool
