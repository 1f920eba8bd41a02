#include "process/detail/environment.h"

#include <unistd.h>

#include <atomic>

#include "base/ids.h"

namespace helve::process {
namespace {

constexpr std::string_view kMark = "HELVE_JOB=";

}  // namespace

std::string host_mark() {
  static const std::string kRandom = random_hex(16);
  return std::string(kMark) + kRandom + '.' + std::to_string(::getpid());
}

std::string new_mark() {
  static std::atomic<std::uint64_t> count{0};
  return host_mark() + '-' + std::to_string(++count);
}

Environment::Environment(const policy::Command& command, std::string_view mark) {
  if (command.variables) {
    size_t bytes = mark.size() + 1;
    for (const auto& [name, value] : *command.variables) bytes += name.size() + value.size() + 2;
    own_.reserve(bytes);  // so that the pointers stay
    for (const auto& [name, value] : *command.variables) {
      if (name == "HELVE_JOB") continue;
      pointers_.push_back(own_.data() + own_.size());
      own_.append(name).append(1, '=').append(value).append(1, '\0');
    }
  } else {
    own_.reserve(mark.size() + 1);
    for (char** each = environ; each && *each; ++each) {
      if (!std::string_view(*each).starts_with("HELVE_")) pointers_.push_back(*each);
    }
  }
  pointers_.push_back(own_.data() + own_.size());
  own_.append(mark).append(1, '\0');
  pointers_.push_back(nullptr);
}

}  // namespace helve::process
