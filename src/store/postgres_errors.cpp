#include "store/detail/postgres_errors.h"

#include <array>

#include "base/text.h"
#include "base/texts.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

struct Meaning {
  std::string_view prefix;  // of the SQLSTATE; the first that fits
  Trouble trouble;
  std::string_view rule;
};

constexpr std::array kMeanings = {
    Meaning{"40", Trouble::kAgain, "store.unavailable"},
    // Somebody else inserted the same key meanwhile; the next try sees it.
    Meaning{"23505", Trouble::kAgain, "store.unavailable"},
    Meaning{"08", Trouble::kBroken, "store.unavailable"},
    Meaning{"57P", Trouble::kBroken, "store.unavailable"},
    Meaning{"25P03", Trouble::kBroken, "store.unavailable"},
    // The prepared statement is not there: something between us and the server shares connections.
    Meaning{"26", Trouble::kBroken, "store.unavailable"},
    Meaning{"53100", Trouble::kRefused, "store.full"},
    Meaning{"25006", Trouble::kRefused, "store.read_only"},
    Meaning{"42501", Trouble::kRefused, "store.read_only"},
    Meaning{"XX00", Trouble::kRefused, "store.damaged"},
    Meaning{"42601", Trouble::kOurs, "store.damaged"},
    // Tables or columns that we made are not there any more.
    Meaning{"42", Trouble::kRefused, "store.damaged"},
    Meaning{"22", Trouble::kOurs, "store.damaged"},
    Meaning{"23", Trouble::kOurs, "store.damaged"},
};
constexpr Meaning kOther{"", Trouble::kRefused, "store.unavailable"};

const Meaning& meaning_of(std::string_view sqlstate) {
  for (const Meaning& meaning : kMeanings) {
    if (sqlstate.starts_with(meaning.prefix)) return meaning;
  }
  return kOther;
}

}  // namespace

Trouble trouble_of(std::string_view sqlstate) { return meaning_of(sqlstate).trouble; }

Refusal refusal_of(std::string_view sqlstate, std::string message) {
  const std::string_view rule = meaning_of(sqlstate).rule;
  std::string reason(trim(flatten_controls(to_utf8(message))));
  if (rule == "store.unavailable") return unavailable(std::move(reason)).error();
  return {std::string(rule), {{"reason", std::move(reason)}}};
}

}  // namespace helve::store
