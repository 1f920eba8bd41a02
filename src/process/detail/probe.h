// process/detail/probe.h
//
// Tries what the machine can do, for means.h. Blocking, up to 2 s if bubblewrap hangs; any thread.
#pragma once

#include "process/means.h"

namespace helve::process {

KernelMeans probe_kernel();
Means probe_machine(const KernelMeans& kernel);

}  // namespace helve::process
