// os/detail/in_place.h
//
// Writes over the bytes of a file where it cannot be replaced by a rename. Blocking; any thread.
#pragma once

#include <string>

#include "os/replace.h"

namespace helve::os::detail {

// The new bytes are first written beside the file or, if its folder or file system forbids that,
// room for them is reserved in the file itself. If writing fails, the old bytes are put back.
Result<Replaced> write_in_place(const Replacement& replacement, const std::string& why);

std::unexpected<Refusal> refuse_changed(const Replacement& replacement);

}  // namespace helve::os::detail
