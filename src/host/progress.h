// host/progress.h
//
// Shows a run on err while it goes on: on a terminal a tree of its steps that is redrawn in place,
// elsewhere a line for each step that ended. A failure is told at once, with the end of its stderr.
// Loop thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "commands/recorder.h"
#include "host/console.h"
#include "os/loop.h"
#include "template/plan.h"

namespace helve::host {

class Progress : public commands::Observer {
 public:
  enum class Mode { kQuiet, kLines, kTree };

  // `title` names the run; `rows` and `columns` are the terminal's, for kTree.
  Progress(const tmpl::Plan& plan, std::string title, Console& console, Mode mode, size_t rows,
           size_t columns);

  void started(const commands::StepRun& run) override;
  void finished(const commands::StepRun& run) override;

  // Redraws every 100 ms until `finish`; for kTree.
  void animate(os::Loop& loop);
  // The last drawing, and no more after it.
  void finish();
  // A line of its own, above the tree.
  void say(const std::string& line);

 private:
  enum class State { kWaiting, kRunning, kOk, kDegraded, kBad, kCancelled, kSkipped };
  struct Row {
    const tmpl::Step* step = nullptr;
    Row* parent = nullptr;
    size_t depth = 0;
    State state = State::kWaiting;
    size_t leaves = 0, done = 0, bad = 0, cancelled = 0, running = 0;
    std::int64_t attempt = 1;
    Clock::time_point began;
    Duration took{0};
    std::vector<Row*> children;
  };

  Row& add(const tmpl::Step& step, Row* parent);
  void count_up(Row& row, State before, State after);
  std::vector<std::string> draw() const;
  void draw_row(const Row& row, bool expand_all, std::vector<std::string>& lines) const;
  std::string line_of(const Row& row) const;
  static State state_of(commands::Status status);
  void settle(Row& row, State state);
  void redraw();
  void erase();
  void tell(const commands::StepRun& run);
  void tell_failure(const commands::StepRun& run);

  std::string title_;
  Console& console_;
  Mode mode_;
  size_t rows_, columns_;
  std::deque<Row> all_;
  std::map<const tmpl::Step*, Row*> index_;
  size_t drawn_ = 0;  // lines on the terminal that the next drawing replaces
  size_t frame_ = 0;
  size_t told_ = 0;  // failures
  bool finished_ = false;
  std::unique_ptr<boost::asio::steady_timer> timer_;
};

}  // namespace helve::host
