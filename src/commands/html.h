// commands/html.h
//
// A run as one page that a person opens: the tree of its steps, a timeline of who ran when, each
// step's output. Self-contained: no script, style or font from elsewhere; prints. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace helve::commands {

// Of a report in the form of report.schema.json.
std::string html_report(const Json& report);

// `text` as it stands in HTML text and in quoted attributes; control characters other than line
// ends and tabs are shown as their Unicode pictures.
std::string html_escape(std::string_view text);

}  // namespace helve::commands
