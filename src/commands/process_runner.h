// commands/process_runner.h
//
// The Runner of real life: each leaf is a process of process/, its whole output captured, spilled
// into the run's folder once it is large. Loop thread only.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "commands/executor.h"
#include "commands/slots.h"
#include "os/loop.h"
#include "policy/policy.h"
#include "process/process.h"

namespace helve::commands {

struct RunnerOptions {
  policy::Permit permit;
  std::filesystem::path cwd;     // of every leaf
  std::filesystem::path spills;  // folder; empty: nothing is spilled, only tails are kept
  std::shared_ptr<const std::map<std::string, std::string>> variables;  // null: the host's own
  size_t jobs = 64;                                                     // processes at once
  size_t tail_bytes = 1024 * 1024;                                      // kept in memory per stream
  std::uint64_t spill_bytes = 64ULL * 1024 * 1024;        // of a stream that nobody reads on
  std::uint64_t pipe_bytes = 16ULL * 1024 * 1024 * 1024;  // of one that the next step reads
  Duration grace = std::chrono::seconds(5);
  bool die_with_parent = false;
  policy::Confinement confinement;
  std::vector<std::string> secrets;  // texts that are masked in what the report keeps
};

class ProcessRunner : public Runner {
 public:
  ProcessRunner(os::Loop& loop, RunnerOptions options);

  boost::asio::awaitable<LeafEnd> run(Leaf leaf, Stop& stop) override;
  std::filesystem::path next_spill() override;
  boost::asio::awaitable<void> blocking(std::function<void()> work) override;

 private:
  boost::asio::awaitable<LeafEnd> start(const Leaf& leaf, Stop& stop);
  process::Spawn spawn(const Leaf& leaf, policy::Allowed allowed) const;
  process::Capture capture(size_t index, const char* stream, std::uint64_t limit) const;
  LeafEnd ended(process::Ended&& end, const Stop& stop) const;
  Kept kept(const process::Output& output) const;

  os::Loop& loop_;
  RunnerOptions options_;
  Slots slots_;
  size_t joins_ = 0;
};

}  // namespace helve::commands
