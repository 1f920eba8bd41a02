// A configuration file from outside: whatever it holds, loading it ends with remarks that can be
// worded, at places that exist.
#include <cstdint>

#include "base/check.h"
#include "base/texts.h"
#include "host/config.h"
#include "host/problems.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const host::Surroundings around{
      .cwd = "/srv/app", .home = "/home/ann", .variables = {{"TOKEN", "t"}}};
  for (const host::Kind kind : {host::Kind::kProject, host::Kind::kRecipe}) {
    const host::Config config = host::load_text(text, kind, "fuzz", "fuzz.json", around);
    for (const host::Problem& problem : config.problems) {
      HELVE_CHECK(problem.at.line > 0);
      HELVE_CHECK(!host::problem_text(problem, around, false).empty());
    }
    for (const host::ToolConfig& tool : config.tools) {
      HELVE_CHECK(tool.compiled.input_schema(tool.arg_descriptions).is_object());
    }
  }
  return 0;
}
