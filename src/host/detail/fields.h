// host/detail/fields.h
//
// The fields that configuration files may have, as tables, and the check of an object against one:
// unknown fields and wrong types, each with its place. Pure; any thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::host {

enum class Shape {
  kTemplate,  // judged by template/
  kText,
  kTextList,
  kTextMap,
  kVariables,  // object of texts or null
  kObject,
  kPositive,   // integer from 1
  kNatural,    // integer from 0
  kEmptyArgs,  // "drop" or "keep"
  kBool,
  kProfile,   // "open", "careful" or "locked"
  kVerdicts,  // object of "allow", "ask" or "deny"
  kReach,     // "open" or "roots"
  kGuard,     // "off", "known" or "strict"
  kConfine,   // "none", "paths", "full", "best", or an object with "level"
};

struct Field {
  std::string_view name;
  Shape shape;
};

std::span<const Field> file_fields();       // of helve.json
std::span<const Field> limit_fields();      // of its "limits"
std::span<const Field> policy_fields();     // of its "policy"
std::span<const Field> serve_fields();      // of its "serve"
std::span<const Field> workspace_fields();  // of its "workspace"
std::span<const Field> confine_fields();    // of a "confine" that is an object
std::span<const Field> host_fields();       // of a tool, beside the template's own
std::span<const Field> portable_fields();   // of any template node (CT-3)

using Report = std::function<void(const std::string& pointer, Refusal refusal)>;

// Refusals: config.unknown_field {field, hint}, config.wrong_type {field, expected, found}.
void check_object(const JsonObject& object, const std::string& pointer,
                  std::span<const Field> fields, const Report& report);

// All nodes of a template: unknown fields, host fields that stand inside, fields of other hosts
// (CT-4) and fields that are not there yet.
// Refusals also: config.foreign_field {field}, config.inner_field {field}.
void check_node(const Json& node, const std::string& pointer, bool outermost, const Report& report);

// "; did you mean ...?" from the text table, or "": the closest name by edits, else one that begins
// alike.
std::string hint(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace helve::host
