#include "host/call_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/files.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPending = size_t{256} * 1024;
constexpr size_t kMostSubject = 200;  // characters of a command (WS-93)

std::string line_of(const tool::CallRecord& record, std::uint64_t left_out) {
  const std::string subject = flatten_controls(to_utf8(record.subject));
  JsonObject line{
      {"at", utc_text(record.at)},
      {"session", record.session},
      {"tool", record.tool},
      {"subject", subject.substr(0, utf8_floor(subject, std::min(kMostSubject, subject.size())))},
      {"outcome", record.outcome},
      {"bytes", record.bytes},
      {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(record.took).count()}};
  if (!record.job.empty()) line["job"] = record.job;
  if (left_out > 0) line["left_out"] = left_out;
  return write_json(line) + '\n';
}

// What was written is only a log: an error of the disk is nobody's failure.
void append(const fs::path& folder, size_t most, std::string_view lines) {
  if (!os::make_private_folder(folder)) return;
  const fs::path file = folder / "calls.jsonl";
  struct stat there{};
  if (::stat(file.c_str(), &there) == 0 && static_cast<size_t>(there.st_size) > most) {
    std::error_code ignored;
    fs::rename(file, folder / "calls.1.jsonl", ignored);
  }
  const os::UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (fd) os::write_all(fd.get(), lines);
}

}  // namespace

struct CallLog::State : std::enable_shared_from_this<State> {
  State(os::Loop& on, fs::path in, size_t limit) : loop(on), folder(std::move(in)), most(limit) {}

  os::Loop& loop;
  const fs::path folder;
  const size_t most;
  std::string pending;
  std::uint64_t left_out = 0, calls = 0, bytes = 0;
  std::map<std::string, std::uint64_t> outcomes;
  bool at_work = false;

  boost::asio::awaitable<void> write() {
    const auto self = shared_from_this();
    while (!pending.empty()) {
      const std::string lines = std::exchange(pending, "");
      co_await loop.on_pool([&] { append(folder, most, lines); });
    }
    at_work = false;
  }

  std::string counters() const {
    JsonObject by_outcome;
    for (const auto& [outcome, count] : outcomes) by_outcome[outcome] = count;
    return write_json(JsonObject{{"at", utc_text(WallClock::now())},
                                 {"calls", calls},
                                 {"bytes", bytes},
                                 {"outcomes", std::move(by_outcome)}}) +
           '\n';
  }
};

CallLog::CallLog(os::Loop& loop, fs::path folder, size_t most_bytes)
    : state_(std::make_shared<State>(loop, std::move(folder), most_bytes)) {}

CallLog::~CallLog() {
  if (state_->calls > 0) {
    append(state_->folder, state_->most, std::exchange(state_->pending, "") + state_->counters());
  }
}

void CallLog::add(const tool::CallRecord& record) {
  State& state = *state_;
  ++state.calls;
  state.bytes += record.bytes;
  ++state.outcomes[record.outcome];
  if (state.pending.size() > kMostPending) {
    ++state.left_out;
    return;
  }
  state.pending += line_of(record, std::exchange(state.left_out, 0));
  if (std::exchange(state.at_work, true)) return;
  state.loop.spawn(state.write());
}

}  // namespace helve::host
