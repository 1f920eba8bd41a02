#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>

#include "base/texts.h"
#include "cli/cli.h"

namespace {

// Colours and widths belong to terminals (https://no-color.org).
bool has_colors(int fd, const helve::host::Surroundings& around) {
  return ::isatty(fd) == 1 && around.variable("NO_COLOR").empty() &&
         around.variable("TERM") != "dumb";
}

size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const auto around = helve::host::Surroundings::of_process();
  helve::host::Console console{.out = std::cout,
                               .err = std::cerr,
                               .width = terminal_width(),
                               .color_out = has_colors(STDOUT_FILENO, around),
                               .color_err = has_colors(STDERR_FILENO, around),
                               .err_is_terminal = ::isatty(STDERR_FILENO) == 1};
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  constexpr int kInternal = 70;   // EX_SOFTWARE
  constexpr int kUnwritten = 74;  // EX_IOERR
  try {
    const int code = helve::cli::run(words, console, around);
    errno = 0;
    const bool lost = !std::cout.flush() && errno != EPIPE;
    return code == 0 && lost ? kUnwritten : code;
  } catch (const std::exception& error) {  // a library's: out of descriptors, out of memory
    std::cerr << helve::text("cli.internal", {{"reason", error.what()}}) << '\n';
    return kInternal;
  }
}
