// cli/cli.h
//
// The `helve` command: arguments in, exit code out. What it does is in host/. Main thread only.
#pragma once

#include <string>
#include <vector>

#include "host/console.h"
#include "host/surroundings.h"

namespace helve::cli {

// `words` without the program's name. 2 for a wrong command line, else what the command returns.
int run(const std::vector<std::string>& words, host::Console& console,
        const host::Surroundings& around);

}  // namespace helve::cli
