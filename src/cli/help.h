// cli/help.h
//
// What the program says about itself, made from the table of options: --help, the man page, the
// shell completions. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace helve::cli {

std::string help_text(const Command* command);  // null: of the whole program

std::string man_page();  // roff, section 1

// For "bash", "zsh" or "fish"; nullopt for another shell.
std::optional<std::string> completion_script(std::string_view shell);

std::string version_text();

}  // namespace helve::cli
