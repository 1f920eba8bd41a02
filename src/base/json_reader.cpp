// Reading JSON: Boost.JSON's parser with a handler of our own, because Boost's turns an integer
// that does not fit into a double without a word, and rounds some doubles wrongly.
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/refusal.h"

namespace helve {
namespace {

namespace bj = boost::json;

constexpr size_t kMaxDepth = 256;
constexpr size_t kMaxValues = 1'000'000;  // "[1,1,1" takes two bytes each, and a value takes 24

// The events of the parser, pushed onto Boost's stack of values.
class Builder {
 public:
  static constexpr size_t max_object_size = bj::object::max_size();
  static constexpr size_t max_array_size = bj::array::max_size();
  static constexpr size_t max_key_size = bj::string::max_size();
  static constexpr size_t max_string_size = bj::string::max_size();

  Builder(unsigned char* buffer, size_t size) : stack_({}, buffer, size) { stack_.reset(); }

  Json release() { return stack_.release(); }
  std::string_view large_integer() const { return large_integer_; }
  bool too_many() const { return values_ > kMaxValues; }

  bool on_document_begin(bj::error_code&) { return true; }
  bool on_document_end(bj::error_code&) { return true; }
  bool on_object_begin(bj::error_code& error) { return count(error); }
  bool on_array_begin(bj::error_code& error) { return count(error); }
  bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
  bool on_comment(bj::string_view, bj::error_code&) { return true; }
  bool on_number_part(bj::string_view, bj::error_code&) { return true; }
  bool on_object_end(size_t count, bj::error_code&) { return stack_.push_object(count), true; }
  bool on_array_end(size_t count, bj::error_code&) { return stack_.push_array(count), true; }
  bool on_key_part(bj::string_view s, size_t, bj::error_code&) {
    return stack_.push_chars(s), true;
  }
  bool on_key(bj::string_view s, size_t, bj::error_code&) { return stack_.push_key(s), true; }
  bool on_string_part(bj::string_view s, size_t, bj::error_code&) {
    return stack_.push_chars(s), true;
  }
  bool on_string(bj::string_view s, size_t, bj::error_code& error) {
    return stack_.push_string(s), count(error);
  }
  bool on_int64(std::int64_t i, bj::string_view, bj::error_code& error) {
    return stack_.push_int64(i), count(error);
  }
  bool on_uint64(std::uint64_t u, bj::string_view, bj::error_code& error) {
    return stack_.push_uint64(u), count(error);
  }
  bool on_bool(bool b, bj::error_code& error) { return stack_.push_bool(b), count(error); }
  bool on_null(bj::error_code& error) { return stack_.push_null(), count(error); }

  // The text is the whole number, since the parser sees all its input at once.
  bool on_double(double rough, bj::string_view text, bj::error_code& error) {
    if (text.find_first_of(".eE") == bj::string_view::npos) {
      large_integer_ = {text.data(), text.size()};
      error = bj::error::not_exact;
      return false;
    }
    double exact = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), exact).ec != std::errc()) {
      if (std::abs(rough) > 1) {  // beyond what a double holds; else too small: zero
        error = bj::error::exponent_overflow;
        return false;
      }
      exact = std::copysign(0.0, rough);
    }
    stack_.push_double(exact);
    return count(error);
  }

 private:
  bool count(bj::error_code& error) {
    if (++values_ <= kMaxValues) return true;
    error = bj::error::array_too_large;
    return false;
  }

  size_t values_ = 0;
  bj::value_stack stack_;
  std::string_view large_integer_;
};

Texts place(std::string_view text, size_t offset) {
  const Position at = position_of(text, offset);
  return {{"line", std::to_string(at.line)}, {"column", std::to_string(at.column)}};
}

std::unexpected<Refusal> refused(std::string_view text, size_t offset,
                                 const bj::error_code& error) {
  Texts args = place(text, offset);
  if (error == bj::error::too_deep) {
    args.emplace_back("limit", std::to_string(kMaxDepth));
    return refuse("json.too_deep", std::move(args));
  }
  args.emplace_back("reason", error.message());
  return refuse("json.invalid", std::move(args));
}

unsigned hex_value(std::string_view digits) {
  unsigned value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  return error == std::errc() && stop == end ? value : 0;
}

// The code unit of the escape `\uXXXX` at `at`, or 0.
unsigned unit_at(std::string_view text, size_t at) {
  constexpr size_t kLength = 6;
  if (at > text.size() || text.size() - at < kLength || text[at] != '\\' || text[at + 1] != 'u')
    return 0;
  return hex_value(text.substr(at + 2, 4));
}

struct Fixed {
  std::string text;
  size_t first = 0;  // where the first half pair is
};

// Half a surrogate pair, escaped, is grammatical JSON that JavaScript and Python write; it stands
// for no character, so it reads as U+FFFD. Nothing if there is none.
std::optional<Fixed> without_lone_surrogates(std::string_view text) {
  std::string fixed(text);
  std::optional<size_t> first;
  for (size_t at = fixed.find('\\'); at != std::string::npos; at = fixed.find('\\', at)) {
    const unsigned unit = unit_at(fixed, at);
    const bool high = unit >= 0xD800 && unit <= 0xDBFF;
    const bool low = unit >= 0xDC00 && unit <= 0xDFFF;
    const unsigned next = high ? unit_at(fixed, at + 6) : 0;
    if (high && next >= 0xDC00 && next <= 0xDFFF) {
      at += 12;
      continue;
    }
    if (high || low) {
      fixed.replace(at + 2, 4, "fffd");
      if (!first) first = at;
    }
    at += unit != 0 ? 6 : 2;
  }
  return first ? std::optional(Fixed{std::move(fixed), *first}) : std::nullopt;
}

std::expected<Json, Refusal> parse(std::string_view text);

}  // namespace

std::expected<Json, Refusal> parse_json(std::string_view text, HalfPairs half_pairs) {
  auto value = parse(text);
  if (value || value.error().rule != "json.invalid") return value;
  const auto fixed = without_lone_surrogates(text);
  if (!fixed) return value;
  value = parse(fixed->text);  // the same length, so places stay right
  if (!value || half_pairs == HalfPairs::kReplaced) return value;
  return refuse("json.half_pair", place(text, fixed->first));
}

namespace {

std::expected<Json, Refusal> parse(std::string_view text) {
  std::array<unsigned char, 4096> buffer;  // NOLINT: filled by the stack before it is read
  bj::parse_options options;
  options.max_depth = kMaxDepth;
  bj::basic_parser<Builder> parser(options, buffer.data(), buffer.size());
  bj::error_code error;
  const size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = bj::error::extra_data;
  if (!error) return parser.handler().release();
  if (const std::string_view number = parser.handler().large_integer(); !number.empty()) {
    Texts args = place(text, static_cast<size_t>(number.data() - text.data()));
    constexpr size_t kShown = 40;
    const bool long_one = number.size() > kShown;
    args.emplace_back("number", std::string(number.substr(0, kShown)) + (long_one ? "..." : ""));
    return refuse("json.integer_too_large", std::move(args));
  }
  if (parser.handler().too_many()) {
    return refuse("json.too_many_values", {{"limit", std::to_string(kMaxValues)}});
  }
  return refused(text, used, error);
}

}  // namespace
}  // namespace helve
