// tool/detail/job_text.h
//
// How a job is told to a model: the handle of one that goes on, and pages of its log. Loop thread
// only; the job must outlive them.
#pragma once

#include "tool/jobs.h"

namespace helve::tool {

// For a call that has waited long enough: the handle, and what was said so far.
boost::asio::awaitable<Answer> handle_answer(std::shared_ptr<Job> job, JobNames names);

// What surrounds the text of a page.
struct Told {
  std::vector<std::string> notes;  // lines behind the first one
  PageSize size;
  JsonObject facts;  // for programs, beside those of the job
};

// Its state in one line, and its log from `cursor` on; with the last page of an ended job, what its
// answer had beside the text. It counts as read.
boost::asio::awaitable<Answer> page_answer(std::shared_ptr<Job> job, std::uint64_t cursor,
                                           Told told);

// Its last lines; the session's cursor stays where it was (WS-48).
boost::asio::awaitable<Answer> tail_answer(std::shared_ptr<Job> job, std::uint64_t cursor,
                                           size_t lines);

// For a stop: the last 8 KB of what was not read, from the beginning of a line. If that is all of
// it, it counts as read; else the session's cursor stays where it was.
boost::asio::awaitable<Answer> last_words(std::shared_ptr<Job> job, std::uint64_t cursor,
                                          Told told);

// job.expired; `spill`: a file that has something of its output, or "".
Refusal expired_job(const std::string& id, const std::string& status, WallClock::time_point ended,
                    const std::string& spill);

// Pure: the last lines of `text`, at most so many and so much.
std::string_view last_lines(std::string_view text, size_t lines, PageSize size);

}  // namespace helve::tool
