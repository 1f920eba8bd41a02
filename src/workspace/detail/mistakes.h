// workspace/detail/mistakes.h
//
// What people and models put into `old` by mistake: the line numbers that a listing had in front of
// its lines, and escapes that nobody turned into what they stand for. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::workspace {

// `text` without the line number in front of each line; nothing if a line has none.
std::optional<std::string> without_line_numbers(std::string_view text);

// `text` with \n, \t, \r, \" and \\ as what they stand for; nothing if there is no \n in it.
std::optional<std::string> without_escapes(std::string_view text);

enum class Only { kCase, kIndentation, kTrailingBlanks, kTypography };

// What alone keeps `wanted` from standing at `begin` of the text, if it is one of these.
std::optional<Only> only_difference(std::string_view text, std::size_t begin,
                                    std::string_view wanted);

}  // namespace helve::workspace
