// host/values.h
//
// The arguments of a run as typed on the command line: `name=text`, `name:=JSON`, `--values`. And
// how a call looks, for refusals and examples. Pure, except that `@file` is read. Any thread.
#pragma once

#include <string>
#include <vector>

#include "host/config.h"

namespace helve::host {

// `--values` first, then the words; a later one wins over --values, never over another word.
// Refused: run.word_invalid {word, shape}, run.argument_twice {argument}, run.json_invalid
// {argument, reason}, run.values_not_an_object {found}, run.unknown_argument {argument, tool, hint,
// shape}, run.missing_argument {argument, tool, shape}, and what reading the file refuses.
Result<JsonObject> read_values(const ToolConfig& tool, const std::vector<std::string>& words,
                               const std::string& values, const Surroundings& around);

// "helve run fetch url=TEXT [depth:=INT]"
std::string call_shape(const ToolConfig& tool);

// A call that could be made, in both forms; values from the schema's example.
std::string example_command(const ToolConfig& tool);
Json example_call(const ToolConfig& tool);

// "int", "enum(a,b)"
std::string type_text(const tmpl::Type& type);

}  // namespace helve::host
