// tool/reports.h
//
// Where the reports of finished runs go, whoever keeps them. Blocking; loop thread only.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::tool {

class Reports {
 public:
  virtual ~Reports() = default;
  // A private folder for what the run leaves while it goes on: spill files, step by step evidence.
  virtual Result<std::filesystem::path> open(const std::string& run_id) = 0;
  // `result` is what the run gave, at most the last 1 MiB of it.
  virtual Result<void> finish(const std::string& run_id, std::string_view report,
                              std::string_view result) = 0;
  // Refused: report.not_found {id}.
  virtual Result<std::string> report(const std::string& run_id) = 0;
  virtual Result<std::string> result(const std::string& run_id) = 0;
};

}  // namespace helve::tool
