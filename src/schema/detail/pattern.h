// schema/detail/pattern.h
//
// The regular expressions of `pattern` and `patternProperties`: ECMAScript's syntax and meaning
// with the `u` flag, on code points, matched by Boost.Regex, whose matcher keeps its own stack and
// counts its steps. Not taken, and refused: Unicode properties (\p{..}) and back references.
// Immutable once made; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::schema {

class Pattern {
 public:
  enum class Answer {
    kYes,
    kNo,
    kTooHard
  };  // too hard: longer than 1,000,000 bytes, or too many
      // steps

  // The error is the reason, a sentence of the text table.
  static std::expected<Pattern, std::string> compile(std::string_view source);

  Answer search(std::string_view subject) const;  // UTF-8; found anywhere in it

 private:
  struct Matcher;
  std::shared_ptr<const Matcher> matcher_;
};

// The same expression in Boost's (Perl's) syntax, where nothing but what ECMAScript has is left.
std::expected<std::wstring, std::string> translate_pattern(std::string_view source);

}  // namespace helve::schema
