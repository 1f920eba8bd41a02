#include "tool/detail/daemon_mark.h"

#include "base/json.h"
#include "os/files.h"
#include "tool/detail/job_record.h"

namespace helve::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 4096;
constexpr std::string_view kBegin = "daemon-", kEnd = ".mark";

std::string name_of(const ProcessName& daemon) {
  return std::string(kBegin) + std::to_string(daemon.pid) + '-' + std::to_string(daemon.start) +
         std::string(kEnd);
}

std::int64_t integer_of(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

struct DaemonMark {
  ProcessName daemon;
  std::string marks;
};

// What is no such file was left by nobody that lives.
DaemonMark read(const fs::path& file) {
  const auto bytes = os::read_file(file, kMostBytes);
  const auto json = bytes ? parse_json(*bytes) : std::unexpected(bytes.error());
  if (!json || !json->is_object()) return {};
  const JsonObject& object = json->get_object();
  return {.daemon = {.boot = std::string(find_text(object, "boot").value_or("")),
                     .pid = integer_of(object, "daemon"),
                     .start = integer_of(object, "daemon_start")},
          .marks = std::string(find_text(object, "marks").value_or(""))};
}

}  // namespace

void note_daemon(const fs::path& folder, const std::string& marks) {
  if (!os::make_private_folder(folder)) return;
  const ProcessName& self = ProcessName::self();
  write_whole(folder, name_of(self),
              write_json(JsonObject{{"boot", self.boot},
                                    {"daemon", self.pid},
                                    {"daemon_start", self.start},
                                    {"marks", marks}}));
}

void forget_daemon(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / name_of(ProcessName::self()), ignored);
}

std::vector<std::string> take_lost_daemons(const fs::path& folder) {
  std::vector<std::string> lost;
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    DaemonMark found = read(at->path());
    if (found.daemon.lives()) continue;
    if (!found.marks.empty()) lost.push_back(std::move(found.marks));
    fs::remove(at->path(), ignored);
  }
  return lost;
}

}  // namespace helve::tool
