#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

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
  const int code = helve::cli::run(words, console, around);
  std::cout.flush();
  return code;
}
