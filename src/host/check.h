// host/check.h
//
// `helve check`: every problem of the configuration with its place, the risk labels of the tools,
// and a summary. Main thread only.
#pragma once

#include <filesystem>

#include "host/config.h"
#include "host/console.h"

namespace helve::host {

struct CheckRequest {
  std::filesystem::path path;  // a file or a folder; empty: the configuration that holds here
  Locations locations;
  bool json = false;
  bool schema = false;  // print the JSON Schema and do nothing else
};

// kRefused if there is an error.
int check(const CheckRequest& request, Console& console, const Surroundings& around);

}  // namespace helve::host
