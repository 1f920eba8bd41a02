#include "tool/detail/job_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <ranges>
#include <sstream>

#include "base/ids.h"
#include "base/texts.h"
#include "os/files.h"

namespace helve::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRecord = 64 * 1024;
constexpr size_t kHandle = 20;  // "job_" and 16 hex digits
constexpr std::chrono::hours kOrphaned{1};

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::int64_t integer_of(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

std::string text_of(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_string() ? std::string(as_text(*value)) : "";
}

JsonObject json_of(const JobRecord& record) {
  return {{"id", record.id},
          {"tool", record.tool},
          {"title", record.title},
          {"session", record.session},
          {"principal", record.principal},
          {"mark", record.mark},
          {"boot", record.daemon.boot},
          {"daemon", record.daemon.pid},
          {"daemon_start", record.daemon.start},
          {"pid", record.pid},
          {"pid_start", record.pid_start},
          {"started", record.started_ms},
          {"ended", record.ended_ms},
          {"state", record.state},
          {"line", record.line},
          {"facts", record.facts},
          {"kept", record.kept},
          {"spill", record.spill},
          {"spill_file", record.spill_file}};
}

JobRecord record_of(const JsonObject& json) {
  JobRecord record{.id = text_of(json, "id"),
                   .tool = text_of(json, "tool"),
                   .title = text_of(json, "title"),
                   .session = text_of(json, "session"),
                   .principal = text_of(json, "principal"),
                   .mark = text_of(json, "mark"),
                   .daemon = {text_of(json, "boot"), integer_of(json, "daemon"),
                              integer_of(json, "daemon_start")},
                   .pid = integer_of(json, "pid"),
                   .pid_start = integer_of(json, "pid_start"),
                   .started_ms = integer_of(json, "started"),
                   .ended_ms = integer_of(json, "ended"),
                   .state = text_of(json, "state"),
                   .line = text_of(json, "line"),
                   .spill = text_of(json, "spill"),
                   .spill_file = text_of(json, "spill_file")};
  const Json* facts = find(json, "facts");
  if (facts != nullptr && facts->is_object()) record.facts = facts->get_object();
  const Json* kept = find(json, "kept");
  record.kept = kept == nullptr || !kept->is_bool() || kept->get_bool();
  return record;
}

void remove_file(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::uint64_t bytes_of(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : size;
}

void remove_logs(const fs::path& folder, const std::string& id) {
  remove_file(folder / (id + ".log"));
  remove_file(folder / (id + ".ring"));
}

bool is_old(const fs::directory_entry& file) {
  std::error_code error;
  const auto changed = file.last_write_time(error);
  return !error && fs::file_time_type::clock::now() - changed > kOrphaned;
}

// What a call wrote that its server did not live to answer, and halves of files. A living one has
// its record before it is as old as that.
void remove_orphans(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(".daemon-") && is_old(*at)) remove_file(at->path());
    const bool half = name.starts_with(".job_");
    const std::string id = name.substr(half ? 1 : 0, kHandle);
    if (!is_job_id(id) || name.ends_with(".json") || !is_old(*at)) continue;
    std::error_code ignored;
    if (half || !fs::exists(folder / (id + ".json"), ignored)) remove_file(at->path());
  }
}

std::vector<JobRecord> all_records(const fs::path& folder) {
  std::vector<JobRecord> records;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.ends_with(".json")) continue;
    if (auto record = read_record(folder, name.substr(0, name.size() - 5))) {
      records.push_back(*std::move(record));
    }
  }
  std::ranges::sort(records, {}, &JobRecord::started_ms);
  return records;
}

}  // namespace

ProcessName ProcessName::of(std::int64_t pid) {
  ProcessName name{.boot = first_line("/proc/sys/kernel/random/boot_id"), .pid = pid};
  const std::string line = first_line("/proc/" + std::to_string(pid) + "/stat");
  // The name in parentheses may hold anything; the start is the 20th word behind it.
  const size_t end = line.rfind(')');
  std::istringstream words(end == std::string::npos ? "" : line.substr(end + 1));
  std::string word;
  for (int i = 0; i < 19; ++i) words >> word;
  words >> name.start;
  return name;
}

const ProcessName& ProcessName::self() {
  static const ProcessName kSelf = of(::getpid());
  return kSelf;
}

bool ProcessName::lives() const {
  const ProcessName now = of(pid);
  return now.start != 0 && now.start == start && now.boot == boot;
}

bool JobRecord::expired(std::int64_t now_ms) const {
  return ended() && (!kept || now_ms - ended_ms > kKeptMs);
}

std::int64_t now_ms() {
  const auto since = WallClock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

bool is_job_id(std::string_view id) {
  return id.size() == kHandle && id.starts_with("job_") &&
         id.substr(4).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void write_whole(const fs::path& folder, const std::string& name, std::string_view bytes) {
  const fs::path file = folder / name;
  const fs::path temporary = folder / ("." + name + "." + random_hex(4));
  const os::UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return;
  if (os::write_all(fd.get(), bytes) != 0 || ::rename(temporary.c_str(), file.c_str()) != 0) {
    ::unlink(temporary.c_str());
  }
}

void write_record(const fs::path& folder, const JobRecord& record) {
  write_whole(folder, record.id + ".json", write_json(json_of(record)));
}

Result<JobRecord> read_record(const fs::path& folder, std::string_view id) {
  const auto unknown = refuse("job.unknown", {{"job", std::string(id)}});
  if (!is_job_id(id)) return unknown;
  const auto bytes = os::read_file(folder / (std::string(id) + ".json"), kMostRecord);
  if (!bytes) return unknown;
  const auto json = parse_json(*bytes);
  if (!json || !json->is_object()) return unknown;
  JobRecord record = record_of(json->get_object());
  if (record.id != id) return unknown;
  return record;
}

void lose_record(const fs::path& folder, JobRecord& record) {
  record.ended_ms = now_ms();
  record.state = "lost";
  record.line = text("job.line.lost", {{"job", record.id}, {"tool", record.tool}});
  write_record(folder, record);
}

std::vector<std::string> tidy_records(const fs::path& folder, std::uint64_t most_bytes) {
  std::vector<std::string> lost;
  const std::int64_t now = now_ms();
  std::uint64_t bytes = 0;
  auto records = all_records(folder);
  for (JobRecord& record : records | std::views::reverse) {  // the newest ones keep their logs
    if (!record.ended() && !record.daemon.lives()) {
      lose_record(folder, record);
      if (!record.mark.empty()) lost.push_back(record.mark);
    }
    if (!record.ended()) continue;
    bytes += bytes_of(folder / (record.id + ".log")) + bytes_of(folder / (record.id + ".ring"));
    if (record.expired(now) || bytes > most_bytes) remove_logs(folder, record.id);
    if (now - record.ended_ms > 2 * kKeptMs) remove_file(folder / (record.id + ".json"));
  }
  remove_orphans(folder);
  return lost;
}

}  // namespace helve::tool
