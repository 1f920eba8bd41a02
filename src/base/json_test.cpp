#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/texts.h"

namespace helve {
namespace {

std::string argument(const Refusal& refusal, std::string_view name) {
  for (const auto& [key, value] : refusal.args) {
    if (key == name) return value;
  }
  return "absent";
}

struct Case {
  const char *name, *text, *want;  // written again, compact
};

constexpr Case kRead[] = {
    {"CT-38 blanks go, the order of members stays", R"( { "b" : [ 1 , 2 ] , "a" : null } )",
     R"({"b":[1,2],"a":null})"},
    {"CT-38 what is not ASCII stays raw", R"("\u00e9\ud83d\ude00")",
     "\"\xC3\xA9\xF0\x9F\x98\x80\""},
    {"escapes that must be", R"("\"\\\/\b\f\n\r\t\u0001")", R"("\"\\/\b\f\n\r\t\u0001")"},
    {"CT-37 64-bit integers are exact", "[9223372036854775807,-9223372036854775808]",
     "[9223372036854775807,-9223372036854775808]"},
    {"CT-37 unsigned 64-bit integers too", "18446744073709551615", "18446744073709551615"},
    {"CT-37 a double without a fraction", "2.0", "2"},
    {"minus zero", "[-0, -0.0]", "[0,0]"},
    {"a number too small for a double is zero", "[1e-400, 0.0e500]", "[0,0]"},
    {"the double nearest to the text", "[0.1, 1.7976931348623157e308, 5e-324, 123456.789e3]",
     "[0.1,1.7976931348623157e+308,5e-324,123456789]"},
    {"a hard rounding case", "9007199254740993.0", "9007199254740992"},
    {"the last of equal keys counts", R"({"a":1,"a":2})", R"({"a":2})"},
    {"R14 half a surrogate pair stands for no character",
     R"(["\ud800","a\udc00\ud83d\ude00","\\ud800"])",
     "[\"\xEF\xBF\xBD\",\"a\xEF\xBF\xBD\xF0\x9F\x98\x80\",\"\\\\ud800\"]"},
    {"empty containers", "[[],{},\"\"]", "[[],{},\"\"]"},
};

TEST(Json, ReadsAndWritesBack) {
  for (const Case& c : kRead) {
    SCOPED_TRACE(c.name);
    const auto value = parse_json(c.text);
    ASSERT_TRUE(value) << render_text(value.error());
    EXPECT_EQ(write_json(*value), c.want);
  }
}

struct Refused {
  const char *name, *text, *rule, *line, *column;
};

constexpr Refused kRefused[] = {
    {"nothing", "", "json.invalid", "1", "1"},
    {"blanks alone", " \n ", "json.invalid", "2", "2"},
    {"an open array", "[1, 2", "json.invalid", "1", "6"},
    {"a comma at the end", "[1,]", "json.invalid", "1", "4"},
    {"two values", "1 2", "json.invalid", "1", "3"},
    {"a second line", "{\n  \"a\": x}", "json.invalid", "2", "8"},
    {"a comment", "/* */ 1", "json.invalid", "1", "1"},
    {"leading zeros", "01", "json.invalid", "1", "2"},
    {"no number at all", "NaN", "json.invalid", "1", "1"},
    {"a number beyond doubles", "[1e400]", "json.invalid", "1", "7"},
    {"bytes that are not UTF-8", "\"\xC3\x28\"", "json.invalid", "1", "2"},
    {"half a surrogate pair and an error behind it", R"(["\ud800",)", "json.invalid", "1", "11"},
    {"an integer beyond 64 bits", "{\"a\": [1,\n 18446744073709551616]}", "json.integer_too_large",
     "2", "2"},
    {"a negative one", "-9223372036854775809", "json.integer_too_large", "1", "1"},
    {"a very long one", "123456789012345678901234567890", "json.integer_too_large", "1", "1"},
};

TEST(Json, RefusesWithThePlace) {
  for (const Refused& c : kRefused) {
    SCOPED_TRACE(c.name);
    const auto value = parse_json(c.text);
    ASSERT_FALSE(value) << write_json(*value);
    EXPECT_EQ(value.error().rule, c.rule);
    EXPECT_EQ(argument(value.error(), "line"), c.line);
    EXPECT_EQ(argument(value.error(), "column"), c.column);
    EXPECT_FALSE(render_text(value.error()).contains('{')) << render_text(value.error());
  }
}

TEST(Json, NamesTheIntegerThatDoesNotFit) {
  const auto value = parse_json("[-99999999999999999999, 1]");
  ASSERT_FALSE(value);
  EXPECT_EQ(argument(value.error(), "number"), "-99999999999999999999");
  EXPECT_TRUE(render(value.error()).next.contains("as text"));
}

TEST(Json, R14RefusesHalfASurrogatePairWhereThatIsWanted) {
  const auto rule = [](std::string_view text) {
    const auto value = parse_json(text, HalfPairs::kRefused);
    return value ? "none" : value.error().rule;
  };
  EXPECT_EQ(rule(R"(["\ud83d\ude00", "\\ud800"])"), "none");
  EXPECT_EQ(rule(R"(["\ud800"])"), "json.half_pair");
  EXPECT_EQ(rule(R"({"\udc00": 1})"), "json.half_pair");
  EXPECT_EQ(rule(R"(["\ud800",)"), "json.invalid");
  EXPECT_EQ(rule(R"(["\ud800", 18446744073709551616])"), "json.integer_too_large");
  const auto refused = parse_json("[\n  \"a\\ud800\"]", HalfPairs::kRefused);
  ASSERT_FALSE(refused);
  EXPECT_EQ(argument(refused.error(), "line") + ":" + argument(refused.error(), "column"), "2:5");
}

TEST(Json, DigitsInTextAreNoIntegers) {
  EXPECT_TRUE(parse_json(R"(["99999999999999999999", "a\"99999999999999999999"])"));
  EXPECT_TRUE(parse_json("[99999999999999999999.0, 99999999999999999999e0]"));
}

TEST(Json, TakesADepthOf256AndNoMore) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(256)));
  const auto refused = parse_json(nested(257));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "json.too_deep");
  EXPECT_EQ(argument(refused.error(), "limit"), "256");
}

TEST(Json, HasAMillionValuesAtMost) {
  const auto list = [](size_t count, std::string_view item) {
    std::string out = "[";
    for (size_t i = 0; i < count; ++i) out += std::string(item) + ',';
    return out + "0]";
  };
  EXPECT_TRUE(parse_json(list(999'998, "1")));
  for (const char* item : {"1", "[]", "{}", "\"\"", "true", "null", "1.5", "-1"}) {
    SCOPED_TRACE(item);
    const auto refused = parse_json(list(999'999, item));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().rule, "json.too_many_values");
  }
}

struct Number {
  double number;
  const char* want;
};

// CT-37, with the examples of ECMA-262 around the limits of the plain form.
constexpr Number kNumbers[] = {
    {2.0, "2"},
    {-0.0, "0"},
    {0.5, "0.5"},
    {-1.25, "-1.25"},
    {100, "100"},
    {123.456, "123.456"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1e20, "100000000000000000000"},
    {123456789012345680000.0, "123456789012345680000"},
    {1e21, "1e+21"},
    {1.5e21, "1.5e+21"},
    {1e-6, "0.000001"},
    {1.5e-6, "0.0000015"},
    {1e-7, "1e-7"},
    {1.25e-7, "1.25e-7"},
    {-1e-7, "-1e-7"},
    {5e-324, "5e-324"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {9007199254740993.0, "9007199254740992"},
};

TEST(Json, WritesNumbersLikeECMAScript) {
  for (const Number& c : kNumbers) EXPECT_EQ(number_text(c.number), c.want);
}

TEST(Json, WritesInContainersWhatItReadsBack) {
  const Json value = JsonArray{1e20, -1e19, 1.5e19, 18446744073709551616.0, 1e18};
  const std::string written = write_json(value);
  EXPECT_EQ(written,
            "[1e+20,-1e+19,15000000000000000000,1.8446744073709552e+19,"
            "1000000000000000000]");
  ASSERT_TRUE(parse_json(written));
  EXPECT_EQ(write_json(Json(1e20)), "100000000000000000000");  // CT-37
}

TEST(Json, WritesNullForWhatJsonCannotSay) {
  const Json value = JsonArray{std::numeric_limits<double>::infinity(), std::nan("")};
  EXPECT_EQ(write_json(value), "[null,null]");
}

TEST(Json, WritesValidUtf8Always) {
  std::string out;
  append_json_string(out, "a\xFF\xC3z\xE2\x82");
  EXPECT_EQ(out, "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\"");
}

TEST(Json, EscapesTheSameAtEveryPlaceOfALine) {
  for (const auto& [raw, want] : std::initializer_list<std::pair<std::string, std::string>>{
           {"\"", "\\\""},
           {"\\", "\\\\"},
           {"\x1F", "\\u001f"},
           {"\x7F", "\\u007f"},
           {"\xC3\xA9", "\xC3\xA9"},
           {"\xE2\x82\xAC", "\xE2\x82\xAC"},
           {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
           {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
           {"\xFF", "\xEF\xBF\xBD"}}) {
    for (size_t before = 0; before < 18; ++before) {
      std::string out;
      append_json_string(out, std::string(before, 'a') + raw + "zz");
      EXPECT_EQ(out, '"' + std::string(before, 'a') + want + "zz\"");
    }
  }
}

TEST(Json, WritesAPrettyForm) {
  const Json value = JsonObject{{"a", JsonArray{1, JsonObject{}}}, {"b", JsonArray{}}};
  EXPECT_EQ(write_json(value, JsonStyle::kPretty),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

TEST(Json, AppendsToWhatIsThere) {
  std::string out = "x";
  append_json(out, JsonArray{1, "a"});
  EXPECT_EQ(out, R"(x[1,"a"])");
}

TEST(Json, FindsMembersAndKinds) {
  const Json value = parse_json(R"({"a": "x", "b": 1, "c": 1.5, "d": [null]})").value();
  EXPECT_EQ(find_text(value, "a"), "x");
  EXPECT_EQ(find_text(value, "b"), std::nullopt);
  EXPECT_EQ(find(value, "none"), nullptr);
  EXPECT_EQ(find(Json(1), "a"), nullptr);
  EXPECT_EQ(json_kind(*find(value, "b")), "integer");
  EXPECT_EQ(json_kind(*find(value, "c")), "number");
  EXPECT_EQ(json_kind(*find(value, "d")), "array");
  EXPECT_EQ(json_kind(Json(true)), "boolean");
  EXPECT_EQ(json_kind(Json()), "null");
}

TEST(Json, PointersEscapeAsRfc6901Says) {
  EXPECT_EQ(pointer_to("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(pointer_to("", 12), "/12");
}

TEST(Json, PositionsCountFromOne) {
  EXPECT_EQ(position_of("ab\ncd", 0), (Position{1, 1}));
  EXPECT_EQ(position_of("ab\ncd", 3), (Position{2, 1}));
  EXPECT_EQ(position_of("ab\ncd", 99), (Position{2, 3}));
}

}  // namespace
}  // namespace helve
