// process/testing/run.h
//
// Runs one command to its end on a loop of its own; for tests.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "process/process.h"

namespace helve::process::testing {

// A command that may run anywhere; the program is argv[0].
Spawn spawn_of(std::vector<std::string> argv, std::filesystem::path folder = "/");
Spawn shell(std::string script);  // /bin/sh -c

Result<Ended> run(Spawn spawn);
Ended run_ok(Spawn spawn);  // fails the test if it was refused

// Stops it with `grace` as soon as it has written a whole line.
Ended run_and_stop(Spawn spawn, Duration grace);

void on_loop(const std::function<boost::asio::awaitable<void>(os::Loop&)>& work);

Bytes bytes(std::string text);
std::string content_of(const Output& output);  // from memory or from the spill
bool lives(int pid);                           // and is no zombie
std::vector<int> numbers_in(std::string_view text);

// A folder that is removed with all that is in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  std::filesystem::path path;
};

}  // namespace helve::process::testing
