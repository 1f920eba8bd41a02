// base/texts.h
//
// The text table: every sentence that a person or a model reads, by key. It is compiled in from
// the files under texts/en/ (`key = text` lines, `{name}` places, `\n` for a line end, a line that
// starts with white space continues the one before). Immutable after the first use; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"

namespace helve {

// The sentence of `key` with its places filled. A place without a value stays as written. A missing
// key is our own bug.
std::string text(std::string_view key, const Texts& args = {});

bool has_text(std::string_view key);

// All keys, sorted; for the test that holds the table against the sources.
std::vector<std::string_view> text_keys();

// A refusal as people read it.
struct Rendered {
  std::string rule, message, next;
  Json details = nullptr;
};
Rendered render(const Refusal& refusal);

// "message\nNext: next", with the details as compact JSON on a third line if there are any.
std::string render_text(const Refusal& refusal);

}  // namespace helve
