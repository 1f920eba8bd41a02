// template/testing/describe.h
//
// Plans and refusals on one line, so that tests are tables of texts: `[cp a b]` is a leaf, `(x, y)`
// a sequence, `{x | y}` a parallel group, `-` something skipped; a label stands before a colon.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "template/template.h"

namespace helve::tmpl {

std::string describe(const Step& step);
std::string describe(const Refusal& refusal);  // "refused CLASS at POINTER"

// Compiles and expands JSON texts; a template that does not begin with `{"`, `[` or `"` is one
// leaf as it stands.
std::string expanded(std::string_view source, std::string_view values = "{}",
                     const Options& options = {});

// A row of such a table.
struct Expansion {
  const char *name, *source, *values, *want;
};
void expect_all(std::initializer_list<Expansion> cases);

std::string repeated(std::string_view unit, size_t count);

Json json(std::string_view text);  // fails the test if it is none
Template compiled(std::string_view source, const Options& options = {});
Plan plan_of(std::string_view source, std::string_view values = "{}", const Place& place = {});

}  // namespace helve::tmpl
