// The only file that knows Boost.Regex.
#include <boost/regex/config.hpp>
// Its limit of steps for one search, in place of a hundred million; before the matcher is read.
#undef BOOST_REGEX_MAX_STATE_COUNT
#define BOOST_REGEX_MAX_STATE_COUNT 5000000
#include <boost/regex.hpp>
#include <stdexcept>

#include "base/text.h"
#include "base/texts.h"
#include "schema/detail/pattern.h"

namespace helve::schema {
namespace {

constexpr size_t kMaxSubject = 1'000'000;

std::wstring widen(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) out += static_cast<wchar_t>(next_code_point(text, at));
  return out;
}

}  // namespace

struct Pattern::Matcher {
  boost::wregex expression;
};

std::expected<Pattern, std::string> Pattern::compile(std::string_view source) {
  auto translated = translate_pattern(source);
  if (!translated) return std::unexpected(std::move(translated.error()));
  try {
    boost::wregex expression;
    expression.imbue(std::locale::classic());  // \b must not depend on the locale
    expression.assign(*translated, boost::regex_constants::perl | boost::regex_constants::nosubs);
    Pattern out;
    out.matcher_ = std::make_shared<const Matcher>(std::move(expression));
    return out;
  } catch (const std::runtime_error&) {  // regex_error: too complex, look-behind without a width
    return std::unexpected(text("schema.pattern.unsupported"));
  }
}

Pattern::Answer Pattern::search(std::string_view subject) const {
  if (subject.size() > kMaxSubject) return Answer::kTooHard;
  try {
    const std::wstring wide = widen(subject);
    return boost::regex_search(wide, matcher_->expression) ? Answer::kYes : Answer::kNo;
  } catch (const std::runtime_error&) {  // out of steps or of stack blocks
    return Answer::kTooHard;
  }
}

}  // namespace helve::schema
