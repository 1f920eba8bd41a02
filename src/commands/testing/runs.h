// commands/testing/runs.h
//
// Runs a template given as JSON text on real processes, for tests.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "commands/run.h"

namespace helve::commands::testing {

// A folder that goes away with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Keeps reports in a folder, or refuses to.
class FolderReports : public tool::Reports {
 public:
  explicit FolderReports(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<std::filesystem::path> open(const std::string& run_id) override;
  Result<void> finish(const std::string& run_id, std::string_view report,
                      std::string_view result) override;
  Result<std::string> report(const std::string& run_id) override;
  Result<std::string> result(const std::string& run_id) override;

 private:
  std::filesystem::path folder_;
};

struct Given {
  std::string_view node;           // the template, JSON text with ` for "
  std::string_view values = "{}";  // likewise
  RunRequest request{};
  bool keep_reports = true;
  std::filesystem::path folder = "/";
  // Called once the loop runs, with the means to stop the run.
  std::function<void(os::Loop&, Stop&)> meanwhile;
  Observer* observer = nullptr;
};

// Aborts the test program if the template does not compile or expand.
Run run(const Given& given);

// A file's bytes.
std::string contents(const std::filesystem::path& file);

// Whether a process whose command line holds `mark` is running.
bool is_running(std::string_view mark);

}  // namespace helve::commands::testing
