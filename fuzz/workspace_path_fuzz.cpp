// Paths from outside: what they resolve to is absolute, normal, within the roots or the
// environment, shown as one line of UTF-8, and resolves to itself; what is refused can be worded.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "base/texts.h"
#include "os/beneath.h"
#include "workspace/paths.h"

namespace {

using namespace helve;

workspace::Settings settings(workspace::Reach reach) {
  workspace::Settings by;
  by.root = "/srv/work";
  by.reach = reach;
  by.roots = {"/srv/more"};
  by.environment = workspace::EnvironmentFolder{.prefix = "/env/a", .folder = "/srv/env"};
  return by;
}

void check(const workspace::Paths& paths, std::string_view given, bool roots) {
  const Result<workspace::Place> place = paths.resolve(given);
  if (!place) {
    HELVE_CHECK(is_utf8(render_text(place.error())));
    return;
  }
  const std::string path = place->path.string();
  HELVE_CHECK(path == os::normal_path(path) && path.starts_with('/'));
  HELVE_CHECK(place->in_environment == os::is_below(path, "/env/a"));
  HELVE_CHECK(is_utf8(place->shown) && !place->shown.contains('\n'));
  if (roots && !place->in_environment) {
    HELVE_CHECK(os::is_below(path, "/srv/work") || os::is_below(path, "/srv/more"));
  }
  const Result<workspace::Place> again = paths.resolve(path);
  if (path.size() <= 4096) HELVE_CHECK(again && again->path == place->path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const workspace::Paths kOpen(settings(workspace::Reach::kOpen));
  static const workspace::Paths kRoots(settings(workspace::Reach::kRoots));
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  check(kOpen, given, false);
  check(kRoots, given, true);
  return 0;
}
