#include "store/detail/refusals.h"

#include "base/texts.h"

namespace helve::store {

std::unexpected<Refusal> unavailable(std::string reason, std::string_view next_key, Json details) {
  return refuse("store.unavailable", {{"reason", std::move(reason)}, {"next", text(next_key)}},
                std::move(details));
}

std::unexpected<Refusal> newer(std::string_view schema, std::int64_t have, std::int64_t known,
                               std::string version) {
  return refuse("store.newer", {{"schema", std::string(schema)},
                                {"have", std::to_string(have)},
                                {"known", std::to_string(known)},
                                {"version", std::move(version)}});
}

}  // namespace helve::store
