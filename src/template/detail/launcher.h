// template/detail/launcher.h
//
// Which of the words of a leaf are a program and its subcommand: what `env`, `sudo` and other
// launchers start (CT-98), and what stands behind the options of `git` or `npm`. Knows the options
// that take a word of their own, and nothing else about programs. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "template/parts.h"

namespace helve::tmpl {

using Words = std::span<const Word>;

// The last part of the path, in lower case.
std::string program_name(std::string_view word);

// A word with a dash in front, and more than that.
bool is_option(std::string_view word);

// The words from the program on that the outermost launchers start in the end; all of them where
// the program is no launcher, or a launcher that starts nothing. Not empty for words that are not.
std::vector<Word> command_within(const std::vector<Word>& words);

// The first word behind the program's options: `git -C there push` has `push`. "" for none.
std::string_view subcommand(std::string_view program, Words args);

}  // namespace helve::tmpl
