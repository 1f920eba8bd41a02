// commands/executor.h
//
// The composition: runs the tree of a plan over a Runner and says how each node ended (CT-67 to
// CT-93). Knows no processes: the Runner does the work of a leaf, real or fake. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "commands/recorder.h"
#include "commands/stop.h"
#include "commands/stream.h"
#include "template/plan.h"

namespace helve::commands {

// How a leaf ended: what the record gets, and what goes on to the next step.
struct LeafEnd {
  StepRun run;
  Stream out;
};

class Runner {
 public:
  struct Leaf {
    const tmpl::Step& step;
    const Stream& input;
    size_t index;  // of the step in the report
  };
  virtual ~Runner() = default;
  virtual boost::asio::awaitable<LeafEnd> run(Leaf leaf, Stop& stop) = 0;
  // Where a join that does not fit the memory goes; empty for nowhere.
  virtual std::filesystem::path next_spill() { return {}; }
  // Runs what may block.
  virtual boost::asio::awaitable<void> blocking(std::function<void()> work) {
    work();
    co_return;
  }
};

struct ExecutorOptions {
  size_t width = 64;  // children of one parallel node that run at once (CT-81); more are queued
  Duration grace = std::chrono::seconds(5);  // between TERM and KILL, for timeouts and aborts
  // False only for fake commands, which end at once: a root failure then lets siblings end first.
  bool abort_siblings = true;
  size_t join_memory = 4 * 1024 * 1024;  // bytes; a larger join is spilled
};

// How a node ended.
struct Outcome {
  Status status = Status::kOk;
  int code = 0;
  tmpl::Failure scope = tmpl::Failure::kContinue;  // that a failure carries upwards
  Stream out;
  std::string err;  // of the failure that decided
  std::string_view reason;
  std::vector<size_t> failures;  // steps whose failure counts, by index in the report
};

class Executor {
 public:
  Executor(Runner& runner, Recorder& recorder, ExecutorOptions options = {});
  // `input` is what the first step reads.
  boost::asio::awaitable<Outcome> run(const tmpl::Step& root, Stream input, Stop& stop);

 private:
  struct Context {  // what a node inherits from where it stands
    bool recover = false;
    bool strict = false;  // the recover node itself: CT-89
    std::int64_t group_attempt = 0;
  };
  struct Parallel;

  boost::asio::awaitable<Outcome> node(const tmpl::Step& step, Stream input, Stop& stop,
                                       Context context);
  boost::asio::awaitable<Outcome> attempts(const tmpl::Step& step, const Stream& input, Stop& stop,
                                           Context context);
  boost::asio::awaitable<Outcome> attempt(const tmpl::Step& step, const Stream& input,
                                          std::int64_t number, Stop& stop, Context context);
  boost::asio::awaitable<Outcome> bounded_group(const tmpl::Step& step, const Stream& input,
                                                Stop& stop, Context context);
  boost::asio::awaitable<Outcome> group(const tmpl::Step& step, const Stream& input, Stop& stop,
                                        Context context);
  boost::asio::awaitable<Outcome> leaf(const tmpl::Step& step, const Stream& input,
                                       std::int64_t number, Stop& stop, Context context);
  boost::asio::awaitable<Outcome> sequence(const tmpl::Step& step, Stream input, Stop& stop,
                                           Context context);
  boost::asio::awaitable<Outcome> parallel(const tmpl::Step& step, const Stream& input, Stop& stop,
                                           Context context);
  boost::asio::awaitable<void> parallel_worker(Parallel& state);
  boost::asio::awaitable<void> run_children(Parallel& state);
  void record(const Parallel& state);
  static Outcome sum_up(const Parallel& state, bool stopped);
  static const Outcome* deciding(const Parallel& state);
  boost::asio::awaitable<Stream> join(const tmpl::Step& step, const std::vector<Outcome>& children);
  tmpl::Failure applied(const tmpl::Step& child, tmpl::Failure group, Outcome& outcome);
  void leave_out(const std::vector<tmpl::Step>& children, size_t from, Context context);

  Runner& runner_;
  Recorder& recorder_;
  ExecutorOptions options_;
};

}  // namespace helve::commands
