#include "mcp/detail/ticker.h"

#include <algorithm>

#include "base/texts.h"
#include "mcp/detail/messages.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;
constexpr auto kFirst = 3500ms;  // with a tick on top still within 5 s
constexpr auto kNext = 8s;       // the same for 10 s

// What progress grows by when the tool does not say: too little to overtake a tool that counts.
constexpr double kStep = 0.001;

}  // namespace

void send_progress(Running& running, const tool::Progress& progress) {
  if (running.done || !running.progress_token || running.sink->congested()) return;
  const bool first = !running.spoke;
  const bool grows = first || progress.done > running.progress;
  running.progress = grows ? progress.done : running.progress + kStep;
  running.total = progress.total;
  if (running.total && running.progress > *running.total) running.total.reset();
  running.spoke = Clock::now();
  running.sink->notify(
      encode_progress(*running.progress_token, running.progress, running.total, progress.message));
}

bool progress_is_due(const Running& running, Clock::time_point now) {
  return running.spoke ? now - *running.spoke >= kNext : now - running.started >= kFirst;
}

void Ticker::watch(const std::shared_ptr<Running>& running) {
  watched_.push_back(running);
  if (!armed_) arm();
}

void Ticker::arm() {
  armed_ = true;
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Ticker::tick() {
  std::erase_if(watched_, [](const auto& watched) {
    const auto running = watched.lock();
    return !running || running->done;
  });
  const auto now = Clock::now();
  for (const auto& watched : watched_) {
    const auto running = watched.lock();
    if (!running || !progress_is_due(*running, now)) continue;
    send_progress(*running, {.done = running->progress,
                             .total = running->total,
                             .message = text("mcp.still_running",
                                             {{"time", duration_text(now - running->started)}})});
  }
  armed_ = false;
  if (!watched_.empty()) arm();
}

}  // namespace helve::mcp
