#include "workspace/spills.h"

#include <algorithm>
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

struct Spills::Draft::State {
  Spills::State& spills;
  std::string session, file, path;
  os::UniqueFd folder;
  std::optional<UnfinishedFile> unfinished;
  std::uint64_t bytes = 0, left_out = 0;
  int error = 0;

  void write(std::string_view piece) {
    if (error == 0) error = unfinished->add(piece);
    bytes += piece.size();
  }
};

Result<std::string> Spills::keep(const std::string& session, std::string_view name,
                                 std::string_view text) {
  auto draft = begin(session, name);
  if (!draft) return std::unexpected(draft.error());
  const Trimmed trimmed = trim_to(text, state_->limits.file_bytes);
  for (const std::string_view piece : {trimmed.head, std::string_view(trimmed.gap), trimmed.tail}) {
    draft->state_->write(piece);
  }
  return draft->finish();
}

Spills::Draft::Draft(std::unique_ptr<State> state) : state_(std::move(state)) {}
Spills::Draft::Draft(Draft&&) noexcept = default;
Spills::Draft& Spills::Draft::operator=(Draft&&) noexcept = default;
Spills::Draft::~Draft() = default;

Result<Spills::Draft> Spills::begin(const std::string& session, std::string_view name) {
  auto draft = std::make_unique<Draft::State>(*state_, session, result_file(name));
  draft->path = std::string(kResults) + '/' + draft->file;
  auto folder = open_results(state_->workspace, true);
  if (!folder) return std::unexpected(os::errno_refusal(folder.error(), kResults));
  draft->folder = *std::move(folder);
  if (state_->sweep_is_due()) {
    const int at = draft->folder.get();
    remove_results(at, old_results(at, state_->limits.age));
  }
  auto unfinished = UnfinishedFile::make(draft->folder.get());
  if (!unfinished) return std::unexpected(os::errno_refusal(unfinished.error(), draft->path));
  draft->unfinished.emplace(*std::move(unfinished));
  return Draft(std::move(draft));
}

void Spills::Draft::add(std::uint64_t missing, std::string_view text) {
  State& draft = *state_;
  const std::uint64_t most = draft.spills.limits.file_bytes;
  if (missing > 0) draft.write(gap_line(missing, draft.bytes + missing + text.size(), most));
  const std::uint64_t room = most - std::min(most, draft.bytes);
  const std::size_t fits = utf8_floor(text, std::min<std::uint64_t>(room, text.size()));
  draft.write(text.substr(0, fits));
  draft.left_out += text.size() - fits;
}

Result<std::string> Spills::Draft::finish() {
  State& draft = *state_;
  if (draft.left_out > 0) {
    const std::uint64_t total = draft.bytes + draft.left_out;
    draft.write(gap_line(draft.left_out, total, draft.spills.limits.file_bytes));
  }
  if (draft.error == 0) draft.error = draft.unfinished->place(draft.file);
  if (draft.error != 0) return std::unexpected(os::errno_refusal(draft.error, draft.path));
  remove_results(draft.folder.get(), draft.spills.account(draft.session, draft.file, draft.bytes));
  return draft.path;
}

bool Spills::was_here(const std::filesystem::path& relative) const {
  const std::string file = relative.filename().string();
  if (relative.parent_path() != kResults || !is_result_file(file)) return false;
  const auto folder = open_results(state_->workspace, false);
  return folder && was_removed(folder->get(), file);
}

}  // namespace helve::workspace
