#include "commands/testing/runs.h"

#include <algorithm>
#include <fstream>

#include "base/check.h"
#include "base/ids.h"
#include "base/texts.h"
#include "os/files.h"

namespace helve::commands::testing {

namespace fs = std::filesystem;

namespace {

Json parse(std::string_view text) {
  std::string json(text);
  std::replace(json.begin(), json.end(), '`', '"');
  auto value = parse_json(json);
  HELVE_CHECK(value.has_value());
  return *std::move(value);
}

template <typename T>
T take(Result<T> result) {
  if (!result) std::fprintf(stderr, "%s\n", render_text(result.error()).c_str());
  HELVE_CHECK(result.has_value());
  return *std::move(result);
}

}  // namespace

TemporaryFolder::TemporaryFolder() : path_(fs::temp_directory_path() / ("helve-" + random_hex(8))) {
  fs::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<fs::path> FolderReports::open(const std::string& run_id) {
  if (auto made = os::make_private_folder(folder_ / run_id); !made) {
    return std::unexpected(made.error());
  }
  return folder_ / run_id;
}

Result<void> FolderReports::finish(const std::string& run_id, std::string_view report,
                                   std::string_view result) {
  if (auto written = os::write_atomic(folder_ / run_id / "report.json", report, 0600); !written) {
    return written;
  }
  return os::write_atomic(folder_ / run_id / "result", result, 0600);
}

Result<std::string> FolderReports::report(const std::string& run_id) {
  return os::read_file(folder_ / run_id / "report.json", 1 << 26);
}

Result<std::string> FolderReports::result(const std::string& run_id) {
  return os::read_file(folder_ / run_id / "result", 1 << 26);
}

Run run(const Given& given) {
  tmpl::Options options;
  options.limits.nodes = 100'000;
  const auto compiled = take(tmpl::Template::compile(parse(given.node), options));
  const auto plan = std::make_shared<const tmpl::Plan>(take(
      compiled.expand(parse(given.values).as_object(),
                      {.cwd = given.folder, .home = "/root", .secret = given.request.secret})));
  const TemporaryFolder reports_folder;
  FolderReports reports(reports_folder.path());
  os::Loop loop;
  Stop stop;
  RunRequest request = given.request;
  request.arguments = parse(given.values).as_object();
  request.secret_texts = secret_texts(request.arguments, request.secret, compiled);
  request.runner.permit = policy::Permit::owner();
  request.runner.cwd = given.folder;
  Run result;
  loop.spawn([&]() -> boost::asio::awaitable<void> {
    result = co_await run_plan(loop, plan, std::move(request),
                               given.keep_reports ? &reports : nullptr, stop, given.observer);
  });
  if (given.meanwhile) given.meanwhile(loop, stop);
  loop.run();
  return result;
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_running(std::string_view mark) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string line = contents(entry.path() / "cmdline");
    if (line.find(mark) != std::string::npos) return true;
  }
  return false;
}

}  // namespace helve::commands::testing
