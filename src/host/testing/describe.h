// host/testing/describe.h
//
// The problems of a configuration in one line each, for tables.
#pragma once

#include <string>

#include "base/texts.h"
#include "host/config.h"

namespace helve::host::testing {

// "line:column rule pointer" of each that is not a risk label; every rule has its sentences.
inline std::string describe(const Config& config) {
  std::string out;
  for (const Problem& problem : config.problems) {
    if (problem.is_risk()) continue;
    out += std::to_string(problem.at.line) + ':' + std::to_string(problem.at.column) + ' ' +
           (problem.is_error() ? "" : "warning ") + problem.finding.what.rule + ' ' +
           problem.finding.pointer + '\n';
    render(problem.finding.what);
  }
  return out;
}

}  // namespace helve::host::testing
