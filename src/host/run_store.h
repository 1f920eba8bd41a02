// host/run_store.h
//
// Finished runs as files: STATE/runs/ID/ with report.json, the result, spills and the evidence of a
// run that never finished. The oldest go when there are too many. Blocking; loop thread only.
#pragma once

#include <filesystem>
#include <string>

#include "tool/reports.h"

namespace helve::host {

class RunStore : public tool::Reports {
 public:
  // `folder` is STATE/runs; made on first use. At most `most` runs and `most_bytes` are kept.
  explicit RunStore(std::filesystem::path folder, size_t most = 200,
                    std::uint64_t most_bytes = 1ULL << 30U);

  Result<std::filesystem::path> open(const std::string& run_id) override;
  Result<void> finish(const std::string& run_id, std::string_view report,
                      std::string_view result) override;
  Result<std::string> report(const std::string& run_id) override;
  Result<std::string> result(const std::string& run_id) override;

 private:
  Result<std::string> read(const std::string& run_id, const char* file) const;
  void forget_oldest() const;

  std::filesystem::path folder_;
  size_t most_;
  std::uint64_t most_bytes_;
  size_t opened_ = 0;
};

}  // namespace helve::host
