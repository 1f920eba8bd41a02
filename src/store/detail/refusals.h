// store/detail/refusals.h
//
// The refusals that both back-ends make. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::store {

// store.unavailable {reason}. `next_key` names the sentence of the text table that says what helps.
std::unexpected<Refusal> unavailable(std::string reason,
                                     std::string_view next_key = "store.next.again",
                                     Json details = nullptr);

// store.newer {schema, have, known, version}: the tables of `schema` were made by a newer program,
// of that version.
std::unexpected<Refusal> newer(std::string_view schema, std::int64_t have, std::int64_t known,
                               std::string version);

}  // namespace helve::store
