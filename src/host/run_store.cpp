#include "host/run_store.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "os/files.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = "report.json";
constexpr const char* kResult = "result";
constexpr std::uint64_t kMostBytes = 64ULL * 1024 * 1024;  // of a report that is read back
constexpr size_t kBetweenCleanings =
    32;  // runs of this process from one look at the folder to the next

// Without fsync: a report is worth having, not worth waiting for the disk.
Result<void> write_file(const fs::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return {};
  return refuse("file.unwritable", {{"file", file.string()}, {"reason", os::errno_text(errno)}});
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::error_code error;
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

RunStore::RunStore(fs::path folder, size_t most, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_(most), most_bytes_(most_bytes) {}

Result<fs::path> RunStore::open(const std::string& run_id) {
  if (opened_++ % kBetweenCleanings == 0) forget_oldest();
  fs::path folder = folder_ / run_id;
  if (const auto made = os::make_private_folder(folder); !made)
    return std::unexpected(made.error());
  return folder;
}

Result<void> RunStore::finish(const std::string& run_id, std::string_view report,
                              std::string_view result) {
  const fs::path folder = folder_ / run_id;
  if (!result.empty()) {
    if (auto written = write_file(folder / kResult, result); !written) return written;
  }
  if (auto written = write_file(folder / kReport, report); !written) return written;
  std::error_code ignored;
  fs::remove(folder / "steps.jsonl", ignored);  // the report has it all
  return {};
}

Result<std::string> RunStore::report(const std::string& run_id) { return read(run_id, kReport); }

Result<std::string> RunStore::result(const std::string& run_id) {
  if (const auto known = read(run_id, kReport); !known) return known;
  auto result = read(run_id, kResult);
  return result ? std::move(result) : std::string();  // a run without output has no such file
}

Result<std::string> RunStore::read(const std::string& run_id, const char* file) const {
  // An id comes from outside: nothing of it may lead elsewhere.
  if (run_id.find_first_not_of("run_0123456789abcdef") != std::string::npos) {
    return refuse("report.not_found", {{"id", run_id}});
  }
  auto bytes = os::read_file(folder_ / run_id / file, kMostBytes);
  if (!bytes) return refuse("report.not_found", {{"id", run_id}});
  return bytes;
}

void RunStore::forget_oldest() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> runs;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    runs.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::ranges::sort(runs, std::greater<>());  // the newest first
  std::uint64_t bytes = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    bytes += bytes_in(runs[i].second);
    if (i + 1 >= most_ || bytes > most_bytes_) fs::remove_all(runs[i].second, error);
  }
}

}  // namespace helve::host
