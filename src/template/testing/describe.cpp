#include "template/testing/describe.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/text.h"
#include "base/texts.h"
#include "template/parts.h"

namespace helve::tmpl {
namespace {

std::string described_children(const Step& step, std::string_view separator) {
  std::vector<std::string> parts;
  for (const Step& child : step.children) parts.push_back(describe(child));
  return join(parts, separator);
}

Json source_of(std::string_view text) {
  const bool is_json = text.starts_with("{\"") || text.starts_with('[') || text.starts_with('"');
  return is_json ? json(text) : Json(text);
}

}  // namespace

std::string describe(const Step& step) {
  std::string out = step.label.empty() ? "" : step.label + ": ";
  if (step.skip != Step::Skip::kNo) return out + "-";
  if (step.kind == Step::Kind::kLeaf) out += '[' + shell_quote(step.argv) + ']';
  if (step.kind == Step::Kind::kSequence) out += '(' + described_children(step, ", ") + ')';
  if (step.kind == Step::Kind::kParallel) out += '{' + described_children(step, " | ") + '}';
  if (step.recover) out += " recover " + describe(*step.recover);
  return out;
}

std::string describe(const Refusal& refusal) {
  EXPECT_FALSE(render(refusal).message.empty());
  std::string out = "refused " + error_class(refusal);
  if (const auto pointer = find_text(refusal.details, "pointer"); pointer && !pointer->empty()) {
    out += " at " + std::string(*pointer);
  }
  return out;
}

std::string expanded(std::string_view source, std::string_view values, const Options& options) {
  const Result<Template> compiled = Template::compile(source_of(source), options);
  if (!compiled) return describe(compiled.error());
  const Result<Plan> plan =
      compiled->expand(json(values).as_object(), {.cwd = "/proj", .home = "/home/u"});
  return plan ? describe(plan->root) : describe(plan.error());
}

void expect_all(std::initializer_list<Expansion> cases) {
  for (const Expansion& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(expanded(c.source, c.values), c.want) << c.source;
  }
}

std::string repeated(std::string_view unit, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

Json json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : Json(nullptr);
}

Template compiled(std::string_view source, const Options& options) {
  Result<Template> result = Template::compile(source_of(source), options);
  EXPECT_TRUE(result) << source;
  HELVE_CHECK(result.has_value());
  return *std::move(result);
}

Plan plan_of(std::string_view source, std::string_view values, const Place& place) {
  Result<Plan> plan = compiled(source).expand(json(values).as_object(), place);
  EXPECT_TRUE(plan) << source << ' ' << (plan ? "" : describe(plan.error()));
  HELVE_CHECK(plan.has_value());
  return *std::move(plan);
}

}  // namespace helve::tmpl
