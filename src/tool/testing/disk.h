// tool/testing/disk.h
//
// Tests only: a folder that goes with its owner, and a loop that runs until work on it is done.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "base/ids.h"
#include "os/loop.h"

namespace helve::tool::testing {

struct TemporaryFolder {
  TemporaryFolder() { std::filesystem::create_directories(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("helve-jobs-" + random_hex(8));
};

// Until nothing is left to do.
inline void settle(os::Loop& loop) {
  loop.context().restart();
  loop.run();
}

template <typename T>
T run_on(os::Loop& loop, boost::asio::awaitable<T> work) {
  std::optional<T> result;
  boost::asio::co_spawn(loop.context(), std::move(work), [&](std::exception_ptr error, T value) {
    if (error) std::rethrow_exception(error);
    result = std::move(value);
  });
  settle(loop);
  HELVE_CHECK(result.has_value());
  return *std::move(result);
}

}  // namespace helve::tool::testing
