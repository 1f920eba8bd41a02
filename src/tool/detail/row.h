// tool/detail/row.h
//
// A tool in the registry, with its schemas compiled. Shared by the calls that began with it, so
// that the registry can replace it meanwhile.
#pragma once

#include "schema/schema.h"
#include "tool/registry.h"

namespace helve::tool {

struct Registry::Row {
  Tool tool;
  schema::Schema input;
  std::optional<schema::Schema> output;
};

struct Registry::PromptRow {
  Prompt prompt;
  std::shared_ptr<const Row> source;  // the tool whose output is the prompt's text, if it is one
};

}  // namespace helve::tool
