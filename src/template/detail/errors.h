// template/detail/errors.h
//
// How this module makes its refusals: `template.CLASS`, values clipped so that they can be printed,
// the place as a JSON pointer in the details. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::tmpl {

using Status = Result<void>;

// `template.ERROR_CLASS`.
std::unexpected<Refusal> fail(std::string_view error_class, Texts args = {});

// template.limit_exceeded: `what` is a key under `template.what.` in the text table.
std::unexpected<Refusal> over_limit(std::string_view what, size_t limit);

// template.invalid_placeholder or template.invalid_expression for what stands between the braces.
std::unexpected<Refusal> bad_placeholder(std::string_view error_class, std::string_view content);

// template.invalid_template for a member of another JSON type; `wanted` is a key under
// `template.wanted.` in the text table.
std::unexpected<Refusal> wrong_kind(std::string_view member, std::string_view wanted,
                                    const Json& value);

// The refusal with {"pointer": pointer} in its details, unless a place is named there already.
Refusal located(Refusal refusal, std::string_view pointer);

// The refusal with the word and its byte offset in the template, as arguments and as details.
// Sentences about a placeholder name them, too (CT-25).
Refusal in_word(Refusal refusal, std::string_view word, size_t offset);

// The same for a member whose text is not split into words; the offset is that in its text.
Refusal in_text(Refusal refusal, std::string_view text, size_t offset);

// For a sentence: valid UTF-8 without controls, cut after some 80 bytes.
std::string clip(std::string_view text);

}  // namespace helve::tmpl
