#include "base/refusal.h"

namespace helve {

std::unexpected<Refusal> refuse(std::string_view rule, Texts args, Json details) {
  return std::unexpected(Refusal{std::string(rule), std::move(args), std::move(details)});
}

}  // namespace helve
