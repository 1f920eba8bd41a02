// workspace/variables.h
//
// The variables that a command of `bash` gets: an allow-list of the host's own, what the owner adds
// by name, and what keeps programs from waiting for a person (WS-30, WS-31). Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace {

using Variables = std::map<std::string, std::string>;

// `names` are the owner's additions; a name that ends with * stands for all that begin so. HELVE_*
// never passes. `editor` is a program that refuses to edit.
Variables command_variables(const Variables& host, const std::vector<std::string>& names,
                            std::string_view editor);

// The text of that program: a script that says what to do instead and exits with 1.
std::string refusing_editor();

}  // namespace helve::workspace
