#include "process/testing/run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/texts.h"
#include "process/detail/procfs.h"

namespace helve::process::testing {

Spawn spawn_of(std::vector<std::string> argv, std::filesystem::path folder) {
  policy::Command command{.argv = argv, .program = argv.front(), .folder = std::move(folder)};
  return {.allowed = *policy::allow(policy::Permit::owner(), std::move(command))};
}

Spawn shell(std::string script) { return spawn_of({"/bin/sh", "-c", std::move(script)}); }

void on_loop(const std::function<boost::asio::awaitable<void>(os::Loop&)>& work) {
  os::Loop loop;
  loop.spawn(work(loop));
  loop.run();
}

Result<Ended> run(Spawn spawn) {
  Result<Ended> result = refuse("process.never_ended");
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, std::move(spawn));
    if (process) {
      result = co_await (*process)->wait();
    } else {
      result = std::unexpected(process.error());
    }
  });
  return result;
}

Ended run_ok(Spawn spawn) {
  Result<Ended> ended = run(std::move(spawn));
  EXPECT_TRUE(ended) << (ended ? "" : render_text(ended.error()));
  return ended ? *std::move(ended) : Ended{.code = -1};
}

Ended run_and_stop(Spawn spawn, Duration grace) {
  Ended ended{.code = -1};
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    Process* running = nullptr;
    spawn.on_output = [&](Stream, std::string_view bytes) {
      if (running && bytes.find('\n') != std::string_view::npos) running->stop(grace);
    };
    auto process = co_await Process::start(loop, std::move(spawn));
    EXPECT_TRUE(process);
    if (!process) co_return;
    running = process->get();
    ended = co_await running->wait();
  });
  return ended;
}

Bytes bytes(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

std::string content_of(const Output& output) {
  if (!output.spilled) return output.tail;
  std::string content(output.bytes, '\0');
  const ssize_t got = ::pread(output.spilled->get(), content.data(), content.size(), 0);
  content.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return content;
}

bool lives(int pid) {
  const std::optional<Member> member = read_member(pid);
  return member && !member->gone();
}

std::vector<int> numbers_in(std::string_view text) { return parse_pids(text); }

Folder::Folder() : path(std::filesystem::temp_directory_path() / ("helve-test-" + random_hex(8))) {
  std::filesystem::create_directory(path);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace helve::process::testing
