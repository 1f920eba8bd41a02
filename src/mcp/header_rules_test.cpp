// Spec 1.2: headers of the modern revision are required and compared with the body after trimming
// and decoding; a mismatch or an absence is -32020.
#include "mcp/detail/header_rules.h"

#include <gtest/gtest.h>

#include "base/texts.h"

namespace helve::mcp {
namespace {

Json parse(std::string_view json) { return parse_json(json).value(); }

std::string verdict(const Checked& checked) {
  if (checked) return "passes";
  return std::to_string(static_cast<int>(checked.error().code)) + ' ' + checked.error().what.rule;
}

constexpr const char* kMissing = "-32020 mcp.header_missing";
constexpr const char* kMismatch = "-32020 mcp.header_mismatch";
constexpr const char* kRepeated = "-32020 mcp.header_repeated";
constexpr const char* kEncoding = "-32020 mcp.header_encoding";

const http::Header kVersion = {"MCP-Protocol-Version", "2026-07-28"};
const http::Header kCall = {"Mcp-Method", "tools/call"};

struct StandardCase {
  const char* name;
  const char* method;
  const char* params;
  http::Headers headers;
  const char *request, *notification;
};

const StandardCase kStandard[] = {
    {"a list", "tools/list", "{}", {kVersion, {"Mcp-Method", "tools/list"}}, "passes", "passes"},
    {"names without case",
     "tools/list",
     "{}",
     {{"mcp-protocol-version", "2026-07-28"}, {"MCP-METHOD", "tools/list"}},
     "passes",
     "passes"},
    {"no headers at all", "tools/list", "{}", {}, kMissing, "passes"},
    {"no version", "tools/list", "{}", {{"Mcp-Method", "tools/list"}}, kMissing, "passes"},
    {"another version",
     "tools/list",
     "{}",
     {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}},
     kMismatch,
     kMismatch},
    {"two versions", "tools/list", "{}", {kVersion, kVersion}, kRepeated, kRepeated},
    {"no method", "tools/list", "{}", {kVersion}, kMissing, "passes"},
    {"another method",
     "tools/list",
     "{}",
     {kVersion, {"Mcp-Method", "prompts/list"}},
     kMismatch,
     kMismatch},
    {"a method in capitals",
     "tools/list",
     "{}",
     {kVersion, {"Mcp-Method", "TOOLS/LIST"}},
     kMismatch,
     kMismatch},
    {"a method in base64 hides from proxies",
     "tools/list",
     "{}",
     {kVersion, {"Mcp-Method", "=?base64?dG9vbHMvbGlzdA==?="}},
     kMismatch,
     kMismatch},
    {"two methods in one header",
     "tools/list",
     "{}",
     {kVersion, {"Mcp-Method", "tools/list, tools/list"}},
     kMismatch,
     kMismatch},
    {"two methods",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, kCall, {"Mcp-Name", "a"}},
     kRepeated,
     kRepeated},
    {"an empty method", "tools/list", "{}", {kVersion, {"Mcp-Method", ""}}, kMismatch, kMismatch},
    {"a tool",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "a"}},
     "passes",
     "passes"},
    {"blanks around a value",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"mcp-name", " \ta  "}},
     "passes",
     "passes"},
    {"a tool without its name",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall},
     kMissing,
     "passes"},
    {"another tool",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "b"}},
     kMismatch,
     kMismatch},
    {"a tool in capitals",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "A"}},
     kMismatch,
     kMismatch},
    {"two tools",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "a"}, {"Mcp-Name", "b"}},
     kRepeated,
     kRepeated},
    {"a name in base64",
     "tools/call",
     R"({"name":"Grüße"})",
     {kVersion, kCall, {"Mcp-Name", "=?base64?R3LDvMOfZQ==?="}},
     "passes",
     "passes"},
    {"a name in base64 that is another",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "=?base64?Yg==?="}},
     kMismatch,
     kMismatch},
    {"a name in wrong base64",
     "tools/call",
     R"({"name":"a"})",
     {kVersion, kCall, {"Mcp-Name", "=?base64?YQ?="}},
     kEncoding,
     kEncoding},
    {"a name in raw UTF-8",
     "tools/call",
     R"({"name":"Grüße"})",
     {kVersion, kCall, {"Mcp-Name", "Grüße"}},
     kEncoding,
     kEncoding},
    {"a body without a name is refused elsewhere",
     "tools/call",
     "{}",
     {kVersion, kCall},
     "passes",
     "passes"},
    {"so is a name that is no text",
     "tools/call",
     R"({"name":1})",
     {kVersion, kCall, {"Mcp-Name", "1"}},
     "passes",
     "passes"},
    {"a prompt",
     "prompts/get",
     R"({"name":"p"})",
     {kVersion, {"Mcp-Method", "prompts/get"}, {"Mcp-Name", "q"}},
     kMismatch,
     kMismatch},
    {"a resource",
     "resources/read",
     R"({"uri":"x://a","name":"b"})",
     {kVersion, {"Mcp-Method", "resources/read"}, {"Mcp-Name", "x://a"}},
     "passes",
     "passes"},
    {"a resource by its name",
     "resources/read",
     R"({"uri":"x://a","name":"b"})",
     {kVersion, {"Mcp-Method", "resources/read"}, {"Mcp-Name", "b"}},
     kMismatch,
     kMismatch},
    {"a task",
     "tasks/get",
     R"({"taskId":"t1"})",
     {kVersion, {"Mcp-Method", "tasks/get"}, {"Mcp-Name", "t1"}},
     "passes",
     "passes"},
    {"another task",
     "tasks/cancel",
     R"({"taskId":"t1"})",
     {kVersion, {"Mcp-Method", "tasks/cancel"}, {"Mcp-Name", "t2"}},
     kMismatch,
     kMismatch},
    {"no task",
     "tasks/update",
     R"({"taskId":"t1"})",
     {kVersion, {"Mcp-Method", "tasks/update"}},
     kMissing,
     "passes"},
    {"a name for a method without one",
     "tools/list",
     R"({"name":"a"})",
     {kVersion, {"Mcp-Method", "tools/list"}, {"Mcp-Name", "b"}},
     "passes",
     "passes"},
};

TEST(HeaderRules, StandardHeadersSayWhatTheBodySays) {
  for (const StandardCase& c : kStandard) {
    SCOPED_TRACE(c.name);
    const JsonObject params = parse(c.params).get_object();
    EXPECT_EQ(verdict(check_standard_headers(c.headers, "2026-07-28", c.method, params)),
              c.request);
    EXPECT_EQ(verdict(check_standard_headers(c.headers, "2026-07-28", c.method, params,
                                             Presence::kOptional)),
              c.notification);
  }
}

TEST(HeaderRules, AVersionThatIsThereIsTheOneOfTheBody) {
  EXPECT_EQ(verdict(check_version_header({}, "2026-07-28")), "passes");
  EXPECT_EQ(verdict(check_version_header({kVersion}, "2026-07-28")), "passes");
  EXPECT_EQ(verdict(check_version_header({kVersion}, "2099-01-01")), kMismatch);
  EXPECT_EQ(verdict(check_version_header({kVersion, kVersion}, "2026-07-28")), kRepeated);
}

TEST(HeaderRules, TheErrorNamesHeaderAndValues) {
  const JsonObject params = {{"name", "a\nb" + std::string(500, 'x')}};
  const auto checked = check_standard_headers({kVersion, kCall, {"Mcp-Name", "\x1B[1m\xFF"}},
                                              "2026-07-28", "tools/call", params);
  ASSERT_EQ(verdict(checked), kEncoding);
  EXPECT_EQ(write_json(checked.error().what.details),
            "{\"header\":\"Mcp-Name\",\"sent\":\" [1m\xEF\xBF\xBD\"}");
  const auto other = check_standard_headers({kVersion, kCall, {"Mcp-Name", "b"}}, "2026-07-28",
                                            "tools/call", params);
  ASSERT_EQ(verdict(other), kMismatch);
  const std::string message = render(other.error().what).message;
  EXPECT_TRUE(message.starts_with("the header Mcp-Name says \"b\", the body says \"a bxxx"))
      << message;
  EXPECT_LT(message.size(), 250U);
}

struct ValueCase {
  const char* name;
  std::string sent;
  std::optional<std::string> value;
};

const ValueCase kValues[] = {
    {"plain", "us-west1", "us-west1"},
    {"empty", "", ""},
    {"a tab inside", "a\tb", "a\tb"},
    {"base64", "=?base64?SGVsbG8=?=", "Hello"},
    {"base64 of nothing",
     "=?base64?"
     "?=",
     ""},
    {"base64 without its padding", "=?base64?SGVsbG8?=", std::nullopt},
    {"base64 with other characters", "=?base64?SGVs!!!bG8=?=", std::nullopt},
    {"base64 with a blank", "=?base64?SGVs bG8=?=", std::nullopt},
    {"base64 with bits left over", "=?base64?SGVsbG9=?=", std::nullopt},
    {"base64 of what is not UTF-8", "=?base64?/w==?=", std::nullopt},
    {"base64 without the beginning", "SGVsbG8=", "SGVsbG8="},
    {"base64 without the end", "=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
    {"the mark in capitals is no mark", "=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},
    {"beginning and end overlap", "=?base64?=", "=?base64?="},
    {"something in front", "x=?base64?SGVsbG8=?=", "x=?base64?SGVsbG8=?="},
    {"a control character", "a\x01", std::nullopt},
    {"DEL", "a\x7F", std::nullopt},
    {"not ASCII", "\xC3\xA9", std::nullopt},
};

TEST(HeaderRules, ValuesAreDecoded) {
  for (const ValueCase& c : kValues) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_header_value(c.sent), c.value);
  }
}

const ValueCase kEncoded[] = {
    {"plain", "us-west1", "us-west1"},
    {"blanks inside", "a b", "a b"},
    {"empty",
     "=?base64?"
     "?=",
     ""},
    {"a blank in front", "=?base64?IGE=?=", " a"},
    {"a tab behind", "=?base64?YQk=?=", "a\t"},
    {"a line end", "=?base64?YQpi?=", "a\nb"},
    {"not ASCII", "=?base64?w6k=?=", "\xC3\xA9"},
    {"what looks encoded", "=?base64?PT9iYXNlNjQ/WVE9PT89?=", "=?base64?YQ==?="},
};

TEST(HeaderRules, ValuesAreEncodedWhereTheyMust) {
  for (const ValueCase& c : kEncoded) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(encode_header_value(*c.value), c.sent);
    EXPECT_EQ(decode_header_value(c.sent), c.value);
  }
}

}  // namespace
}  // namespace helve::mcp
