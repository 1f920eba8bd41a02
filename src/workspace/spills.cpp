#include "workspace/spills.h"

#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/texts.h"
#include "base/time.h"
#include "os/replace.h"
#include "workspace/detail/results_folder.h"
#include "workspace/detail/spill_quota.h"

namespace helve::workspace {
namespace {

constexpr std::chrono::hours kBetweenSweeps{1};

// A text as it is kept: head, a line about what is missing, tail; of a text that fits the head is
// all.
struct Trimmed {
  std::string_view head;
  std::string gap;
  std::string_view tail;
  std::uint64_t size() const { return head.size() + gap.size() + tail.size(); }
};

std::string gap_line(std::uint64_t bytes, std::uint64_t total, std::uint64_t limit) {
  return '\n' +
         text("spill.gap", {{"bytes", std::to_string(bytes)},
                            {"total", std::to_string(total)},
                            {"limit", std::to_string(limit)}}) +
         '\n';
}

Trimmed trim_to(std::string_view whole, std::uint64_t limit) {
  if (whole.size() <= limit) return {.head = whole};
  const std::uint64_t line = gap_line(whole.size(), whole.size(), limit).size();
  const std::size_t room = limit > line ? limit - line : 0;
  const std::size_t head = utf8_floor(whole, room / 5);
  const std::size_t tail = utf8_ceil(whole, whole.size() - (room - head));
  return {whole.substr(0, head), gap_line(tail - head, whole.size(), limit), whole.substr(tail)};
}

}  // namespace

struct Spills::State {
  std::filesystem::path workspace;
  Limits limits;
  std::mutex mutex;  // of what follows
  SpillQuota quota;
  std::optional<Clock::time_point> swept;

  // True once an hour.
  bool sweep_is_due() {
    const std::scoped_lock lock(mutex);
    const Clock::time_point now = Clock::now();
    if (swept && now - *swept < kBetweenSweeps) return false;
    swept = now;
    return true;
  }

  std::vector<std::string> account(const std::string& session, const std::string& file,
                                   std::uint64_t bytes) {
    const std::scoped_lock lock(mutex);
    return quota.add(session, file, bytes, limits);
  }
};

Spills::Spills(std::filesystem::path workspace) : Spills(std::move(workspace), Limits{}) {}

Spills::Spills(std::filesystem::path workspace, const Limits& limits)
    : state_(std::make_unique<State>()) {
  state_->workspace = std::move(workspace);
  state_->limits = limits;
}

Spills::~Spills() = default;

Result<std::string> Spills::keep(const std::string& session, std::string_view name,
                                 std::string_view text) {
  const std::string file = result_file(name);
  const std::string path = std::string(kResults) + '/' + file;
  const auto folder = open_results(state_->workspace, true);
  if (!folder) return std::unexpected(os::errno_refusal(folder.error(), kResults));
  if (state_->sweep_is_due()) {
    remove_results(folder->get(), old_results(folder->get(), state_->limits.age));
  }
  const Trimmed trimmed = trim_to(text, state_->limits.file_bytes);
  const std::array<std::string_view, 3> pieces = {trimmed.head, trimmed.gap, trimmed.tail};
  const int error = put_file(folder->get(), file, pieces);
  if (error != 0) return std::unexpected(os::errno_refusal(error, path));
  remove_results(folder->get(), state_->account(session, file, trimmed.size()));
  return path;
}

bool Spills::was_here(const std::filesystem::path& relative) const {
  const std::string file = relative.filename().string();
  if (relative.parent_path() != kResults || !is_result_file(file)) return false;
  const auto folder = open_results(state_->workspace, false);
  return folder && was_removed(folder->get(), file);
}

}  // namespace helve::workspace
