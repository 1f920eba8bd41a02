// workspace/detail/names.h
//
// What is in a folder, for sentences that say where to look. Blocking; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace::detail {

// Names of the folder's entries, sorted, folders with a "/" behind; none if it cannot be read. Of a
// very large folder only a part. `folder` may be an O_PATH descriptor.
std::vector<std::string> names_in(int folder);

// At most three names that somebody may have meant by `wanted`, the closest first.
std::vector<std::string> near_names(const std::vector<std::string>& names, std::string_view wanted);

}  // namespace helve::workspace::detail
