#include "host/progress.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.h"
#include "base/texts.h"

namespace helve::host {

using commands::Status;
using commands::step_name;
using commands::StepRun;
using tmpl::Step;

namespace {

constexpr Duration kFrame = std::chrono::milliseconds(100);
constexpr size_t kFailureLines = 6;   // of a failed step's stderr
constexpr size_t kFailuresTold = 20;  // in full; the closing summary counts the rest

std::string last_lines(std::string_view said, size_t most) {
  while (said.ends_with('\n')) said.remove_suffix(1);
  size_t from = said.size();
  for (size_t lines = 0; lines < most && from != std::string_view::npos && from > 0; ++lines) {
    from = said.rfind('\n', from - 1);
  }
  return std::string(from == std::string_view::npos || from == 0 ? said : said.substr(from + 1));
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    out += "    " + flatten_controls(line) + '\n';
  }
  return out;
}

}  // namespace

Progress::Progress(const tmpl::Plan& plan, std::string title, Console& console, Mode mode,
                   size_t rows, size_t columns)
    : title_(std::move(title)), console_(console), mode_(mode), rows_(rows), columns_(columns) {
  if (mode_ == Mode::kTree) add(plan.root, nullptr);
}

Progress::Row& Progress::add(const Step& step, Row* parent) {
  Row& row = all_.emplace_back();
  row.step = &step;
  row.parent = parent;
  row.depth = parent == nullptr ? 0 : parent->depth + 1;
  index_[&step] = &row;
  for (const Step& child : step.children) {
    Row& below = add(child, &row);
    row.children.push_back(&below);
    row.leaves += below.leaves;
  }
  if (step.kind == Step::Kind::kLeaf) row.leaves = 1;
  return row;
}

void Progress::count_up(Row& row, State before, State after) {
  const auto ended = [](State state) {
    return state != State::kWaiting && state != State::kRunning;
  };
  const auto count = [&](size_t& number, auto holds) {
    if (holds(before)) --number;
    if (holds(after)) ++number;
  };
  for (Row* at = row.parent; at != nullptr; at = at->parent) {
    count(at->running, [](State state) { return state == State::kRunning; });
    count(at->done, ended);
    count(at->bad, [](State state) { return state == State::kBad; });
    count(at->cancelled, [](State state) { return state == State::kCancelled; });
    if (at->began == Clock::time_point()) at->began = Clock::now();
    at->took = Clock::now() - at->began;
    if (at->done < at->leaves) {
      at->state = at->running > 0 || at->done > 0 ? State::kRunning : State::kWaiting;
    } else if (at->cancelled > 0) {
      at->state = State::kCancelled;
    } else if (at->bad == 0) {
      at->state = State::kOk;
    } else {
      at->state = at->bad < at->leaves ? State::kDegraded : State::kBad;
    }
  }
}

void Progress::started(const StepRun& run) {
  const auto found = index_.find(run.step);
  if (found == index_.end()) return;
  Row& row = *found->second;
  const State before = row.state;
  row.state = State::kRunning;
  row.attempt = run.attempt;
  row.began = Clock::now();
  count_up(row, before, row.state);
}

Progress::State Progress::state_of(Status status) {
  switch (status) {
    case Status::kOk:
      return State::kOk;
    case Status::kDegraded:
      return State::kDegraded;
    case Status::kCancelled:
      return State::kCancelled;
    case Status::kSkipped:
      return State::kSkipped;
    case Status::kFailed:
    case Status::kTimedOut:
      return State::kBad;
  }
  return State::kBad;
}

void Progress::settle(Row& row, State state) {
  for (Row* child : row.children) settle(*child, state);
  if (row.step->kind == Step::Kind::kLeaf) {
    const State before = row.state;
    row.state = state;
    count_up(row, before, state);
  }
}

void Progress::finished(const StepRun& run) {
  tell(run);
  const auto found = index_.find(run.step);
  if (found == index_.end()) return;
  found->second->took = run.duration;
  settle(*found->second, state_of(run.status));  // a group comes here only if it was skipped
}

// Failures in every mode but quiet; what went well only where there is no tree to show it.
void Progress::tell(const StepRun& run) {
  if (mode_ == Mode::kQuiet || !run.ran) return;
  if (failed(run.status) && run.attempt >= run.step->retry) return tell_failure(run);
  if (mode_ != Mode::kLines) return;
  Texts values = {{"status", text("status." + std::string(name(run.status)))},
                  {"step", step_name(*run.step)},
                  {"attempt", std::to_string(run.attempt)},
                  {"attempts", std::to_string(run.step->retry)},
                  {"duration", duration_text(run.duration)}};
  console_.err << text(run.step->retry > 1 ? "run.line.attempt" : "run.line", values) << '\n';
}

void Progress::tell_failure(const StepRun& run) {
  if (told_++ >= kFailuresTold) return;
  std::string line =
      text("run.failure", {{"status", text("status." + std::string(name(run.status)))},
                           {"step", step_name(*run.step)},
                           {"exit", std::to_string(run.exit)},
                           {"duration", duration_text(run.duration)}});
  line = inked(line, Ink::kError, console_.color_err) + '\n';
  const std::string& said = run.err.text.empty() ? run.out.text : run.err.text;
  if (!said.empty()) line += indented(last_lines(said, kFailureLines));
  line.pop_back();
  say(line);
}

void Progress::say(const std::string& line) {
  if (mode_ == Mode::kQuiet) return;
  erase();
  console_.err << line << '\n' << std::flush;
}

std::string Progress::line_of(const Row& row) const {
  constexpr const char* kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  std::string mark = "·";
  Ink ink = Ink::kFaint;
  switch (row.state) {
    case State::kWaiting:
    case State::kSkipped:
      break;
    case State::kRunning:
      mark = kSpinner[frame_ % std::size(kSpinner)];
      ink = Ink::kNote;
      break;
    case State::kOk:
      mark = "✔";
      ink = Ink::kStrong;
      break;
    case State::kDegraded:
      mark = "◐";
      ink = Ink::kWarning;
      break;
    case State::kCancelled:
      mark = "■";
      ink = Ink::kWarning;
      break;
    case State::kBad:
      mark = "✘";
      ink = Ink::kError;
      break;
  }
  const bool group = row.step->kind != Step::Kind::kLeaf;
  std::string rest = group && row.step->label.empty() && row.depth == 0 ? title_
                     : group && row.step->label.empty()
                         ? text(row.step->kind == Step::Kind::kParallel ? "run.tree.parallel"
                                                                        : "run.tree.sequence")
                         : step_name(*row.step);
  if (group && row.leaves > 1) {
    rest += text("run.tree.count",
                 {{"done", std::to_string(row.done)}, {"leaves", std::to_string(row.leaves)}});
  }
  if (row.attempt > 1) rest += text("run.tree.attempt", {{"attempt", std::to_string(row.attempt)}});
  if (row.state == State::kRunning) {
    rest += "  " +
            duration_text(std::chrono::floor<std::chrono::milliseconds>(Clock::now() - row.began));
  } else if (row.took > Duration(0)) {
    rest += "  " + duration_text(row.took);
  }
  const std::string indent(2 * row.depth, ' ');
  const size_t used = indent.size() + 2;
  return indent + inked(mark, ink, console_.color_err) + ' ' +
         cut_to(rest, columns_ > used + 1 ? columns_ - used - 1 : 1);
}

void Progress::draw_row(const Row& row, bool expand_all, std::vector<std::string>& lines) const {
  lines.push_back(line_of(row));
  for (const Row* child : row.children) {
    const bool interesting =
        child->state == State::kRunning || (child->state == State::kBad && child->children.empty());
    if (expand_all || interesting || child->bad > 0) draw_row(*child, expand_all, lines);
  }
}

// The whole tree if it fits; else what runs and what failed; else the beginning of that.
std::vector<std::string> Progress::draw() const {
  std::vector<std::string> lines;
  const size_t fits = rows_ > 2 ? rows_ - 2 : 1;
  draw_row(all_.front(), all_.size() <= fits, lines);
  if (lines.size() > fits) {
    const size_t hidden = lines.size() - fits + 1;
    lines.resize(fits - 1);
    lines.push_back(text("run.tree.more", {{"count", std::to_string(hidden)}}));
  }
  return lines;
}

void Progress::erase() {
  if (drawn_ == 0) return;
  console_.err << "\x1b[" << drawn_ << "A\x1b[J";
  drawn_ = 0;
}

void Progress::redraw() {
  const std::vector<std::string> lines = draw();
  erase();
  for (const std::string& line : lines) console_.err << line << '\n';
  console_.err << std::flush;
  drawn_ = lines.size();
  ++frame_;
}

void Progress::animate(os::Loop& loop) {
  if (mode_ != Mode::kTree) return;
  timer_ = std::make_unique<boost::asio::steady_timer>(loop.context());
  loop.spawn([](Progress& self) -> boost::asio::awaitable<void> {
    while (!self.finished_) {
      self.timer_->expires_after(kFrame);
      co_await self.timer_->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
      if (!self.finished_) self.redraw();
    }
  }(*this));
}

void Progress::finish() {
  finished_ = true;
  if (timer_) timer_->cancel();
  if (mode_ != Mode::kTree) return;
  redraw();
  drawn_ = 0;
}

}  // namespace helve::host
