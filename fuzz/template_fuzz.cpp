// JSON text to a compiled template to a plan: never a crash, never more than the limits allow.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/texts.h"
#include "template/template.h"

namespace {

using helve::tmpl::Step;

size_t argument_bytes(const Step& step) {
  size_t bytes = 0;
  for (const std::string& word : step.argv) bytes += word.size();
  for (const Step& child : step.children) bytes += argument_bytes(child);
  return bytes + (step.recover ? argument_bytes(*step.recover) : 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json = helve::parse_json({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  helve::tmpl::Options options;
  options.limits.plan_bytes = 1024 * 1024;
  options.limits.nodes = 100;
  const auto compiled = helve::tmpl::Template::compile(*json, options);
  if (!compiled) {
    HELVE_CHECK(!helve::render_text(compiled.error()).empty());
    return 0;
  }
  (void)compiled->input_schema();
  for (const auto& finding : compiled->findings()) helve::render_text(finding.what);
  helve::JsonObject values;
  const helve::Json samples[] = {"text", 1, helve::JsonArray{"a", "b"}, true, "0"};
  size_t next = 0;
  for (const auto& argument : compiled->arguments()) {
    values[argument.name] = samples[next++ % 5];
  }
  (void)compiled->normalise(values);
  for (const helve::JsonObject& each : {values, helve::JsonObject()}) {
    const auto plan = compiled->expand(each, {.cwd = "/proj", .home = "/home/u", .secret = {"a"}});
    if (plan) HELVE_CHECK(argument_bytes(plan->root) <= options.limits.plan_bytes);
  }
  return 0;
}
