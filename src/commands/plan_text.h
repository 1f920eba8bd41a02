// commands/plan_text.h
//
// A plan as people and programs read it before anything runs (`--dry-run`), and a template's source
// as a tree (`helve tools NAME`). Secret values are masked as the plan masks them. Pure; any
// thread.
#pragma once

#include <string>

#include "base/json.h"
#include "template/plan.h"

namespace helve::commands {

// One line per step, children indented; leaves are shell-quoted argv vectors.
std::string plan_text(const tmpl::Plan& plan);

// {"leaves", "root": {kind, path, label?, argv?, program?, skipped?, ..., children?}, "output"}
Json plan_json(const tmpl::Plan& plan);

// The source of a template; `indent` blanks before every line.
std::string template_tree(const Json& node, size_t indent);

}  // namespace helve::commands
