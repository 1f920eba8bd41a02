// tool/call_record.h
//
// What is written down of one call (WS-93): never contents of files, values of variables, or what a
// template tool was given. A plain value.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"

namespace helve::tool {

struct CallRecord {
  WallClock::time_point at;  // when it came
  std::string session, tool;
  std::string subject;  // what the tool says that it was about: a path, the beginning of a command
  std::string outcome;  // "ok", "failed", "asked", "cancelled", or the rule of a refusal
  std::string job;      // the handle that it was answered with, or ""
  std::size_t bytes = 0;  // of the answer's text
  Duration took{0};
};

}  // namespace helve::tool
