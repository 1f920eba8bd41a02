// host/console.h
//
// Where the program's words go: two streams, and what is known about the terminal behind them. And
// the one function that renders a refusal for people. Main thread only.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::host {

// Exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;  // a refusal, or errors that `check` found
inline constexpr int kUsage = 2;    // the command line itself is wrong

enum class Ink { kError, kWarning, kNote, kStrong, kFaint };

struct Console {
  std::ostream& out;
  std::ostream& err;
  size_t width = 0;  // of the terminal behind `out`, in columns; 0: none, so nothing is cut
  bool color_out = false;
  bool color_err = false;
  bool err_is_terminal = false;
};

// `text` in a colour, if `color`.
std::string inked(std::string_view text, Ink ink, bool color);

// "helve: message\nNext: next\n" on err; with `json` the object {rule, message, next, details} on
// out. Returns kRefused.
int print_refusal(Console& console, const Refusal& refusal, bool json = false);

// Without control characters in its values, so that no file steers the terminal.
Refusal flattened(Refusal refusal);

// `words` line by line without control characters.
std::string flat_lines(std::string_view words);

// "1 tool", "3 tools": the texts count.WHAT.one and count.WHAT.many.
std::string counted(std::string_view what, size_t count);

// {rule, message, next, details}, as every JSON output has it.
Json refusal_json(const Refusal& refusal);

// Characters, not bytes.
size_t columns_of(std::string_view text);

// Cut to `width` columns with an ellipsis at the end; 0: not cut.
std::string cut_to(std::string_view text, size_t width);

}  // namespace helve::host
