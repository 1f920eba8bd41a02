// tool/detail/job_text.h
//
// How a job is told to a model: the handle of one that goes on, and a page of its log.
#pragma once

#include "tool/jobs.h"

namespace helve::tool {

// For a call that has waited long enough: the handle, and what was said so far.
Answer handle_answer(Job& job, size_t budget);

// Its state in one line, and its log from `cursor` on, at most `budget` characters; with the last
// page of an ended job, what its answer had beside the text.
Answer page_answer(Job& job, std::uint64_t cursor, size_t budget);

// "running", "done", "failed" or "stopped".
std::string_view state_of(const Job& job);

// "job_... deploy: running for 12 s"
std::string job_line(const Job& job);

}  // namespace helve::tool
