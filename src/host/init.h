// host/init.h
//
// `helve init`: a starter helve.json with comments. Never overwrites. Main thread only.
#pragma once

#include "host/console.h"
#include "host/places.h"

namespace helve::host {

// Into --config, else --root, else the current folder. Refused: init.exists {file}, and what
// writing refuses.
int init(const Locations& locations, Console& console, const Surroundings& around);

std::string_view starter_file();

}  // namespace helve::host
