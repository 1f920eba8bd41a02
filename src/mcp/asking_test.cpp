// What a client can be asked for, and how a question reads in each revision (spec/mcp.md, 1.2).
#include "mcp/detail/asking.h"

#include <gtest/gtest.h>

#include "mcp/server.h"

namespace helve::mcp {
namespace {

std::string describe(tool::Asks asks) {
  std::string out;
  if (asks.form) out += "form ";
  if (asks.url) out += "url ";
  if (asks.sampling) out += "sampling ";
  if (asks.roots) out += "roots ";
  return out;
}

struct AsksCase {
  const char *name, *revision, *capabilities, *asks;
};
constexpr AsksCase kAsks[] = {
    {"nothing is declared", "2026-07-28", "{}", ""},
    {"an empty elicitation is the form", "2026-07-28", R"({"elicitation":{}})", "form "},
    {"the form by name", "2025-11-25", R"({"elicitation":{"form":{}}})", "form "},
    {"pages alone", "2025-11-25", R"({"elicitation":{"url":{}}})", "url "},
    {"both", "2026-07-28", R"({"elicitation":{"form":{},"url":{}}})", "form url "},
    {"pages are newer than this", "2025-06-18", R"({"elicitation":{"form":{},"url":{}}})", "form "},
    {"elicitation is newer than this", "2025-03-26", R"({"elicitation":{}})", ""},
    {"elicitation of the wrong kind", "2026-07-28", R"({"elicitation":true})", ""},
    {"models and folders are as old as the protocol", "2024-11-05",
     R"({"sampling":{},"roots":{"listChanged":true}})", "sampling roots "},
    {"capabilities of the wrong kind", "2025-11-25", "7", ""},
};

TEST(Asking, AClientIsAskedForWhatItDeclaresAndItsRevisionKnows) {
  for (const AsksCase& c : kAsks) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(asks_of(parse_json(c.capabilities).value(), c.revision)), c.asks);
  }
}

TEST(Asking, WhatIsMissingIsNamedAsTheProtocolHasIt) {
  const std::vector<tool::InputRequest> all = {
      {"a", "elicitation/create", {{"message", "x"}}},
      {"b", "elicitation/create", {{"mode", "url"}}},
      {"c", "sampling/createMessage", {}},
      {"d", "roots/list", {}},
  };
  const JsonObject missing = missing_capabilities(all, {});
  EXPECT_EQ(write_json(missing),
            R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})");
  EXPECT_EQ(capability_names(missing), "elicitation.form, elicitation.url, sampling, roots");
  EXPECT_EQ(write_json(missing_capabilities(all, {.form = true, .roots = true})),
            R"({"elicitation":{"url":{}},"sampling":{}})");
  EXPECT_TRUE(missing_capabilities(all, {true, true, true, true}).empty());
}

struct FormCase {
  const char *name, *revision, *properties, *want;
};
constexpr std::string_view kTitled =
    R"({"c":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]}})";
const FormCase kForms[] = {
    {"titled choices", "2025-11-25", kTitled.data(), kTitled.data()},
    {"titled choices in older words", "2025-06-18", kTitled.data(),
     R"({"c":{"type":"string","enum":["a","b"],"enumNames":["A","b"]}})"},
    {"several choices in older words", "2025-06-18",
     R"({"c":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}})",
     R"({"c":{"type":"array","items":{"enum":["a"],"enumNames":["A"]}}})"},
    {"choices that are none", "2025-06-18", R"({"c":{"oneOf":[{"type":"string"}]},"d":1})",
     R"({"c":{"oneOf":[{"type":"string"}]},"d":1})"},
    {"plain choices", "2025-06-18", R"({"c":{"type":"string","enum":["a"]}})",
     R"({"c":{"type":"string","enum":["a"]}})"},
};

TEST(Asking, FormsAreInTheWordsOfTheRevision) {
  const ServerInfo info{"test", "1"};
  for (const FormCase& c : kForms) {
    SCOPED_TRACE(c.name);
    const tool::InputRequest request{
        "k",
        "elicitation/create",
        {{"mode", "form"},
         {"requestedSchema", JsonObject{{"properties", parse_json(c.properties).value()}}}}};
    const Json params = question_params(request, wire_of(c.revision, info));
    EXPECT_EQ(write_json(params.at("requestedSchema").at("properties")), c.want);
    EXPECT_EQ(find(params, "mode") != nullptr, std::string_view(c.revision) >= "2025-11-25");
  }
}

TEST(Asking, PagesHaveAnIdOfTheirOwn) {
  const tool::InputRequest page{"k", "elicitation/create", {{"mode", "url"}, {"url", "https://a"}}};
  const auto wire = wire_of("2025-11-25", {"test", "1"});
  const JsonObject first = question_params(page, wire), second = question_params(page, wire);
  EXPECT_EQ(first.at("url"), "https://a");
  EXPECT_NE(first.at("elicitationId"), second.at("elicitationId"));
}

}  // namespace
}  // namespace helve::mcp
