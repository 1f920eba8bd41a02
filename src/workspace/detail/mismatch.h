// workspace/detail/mismatch.h
//
// Why an edit was not made, as a refusal that says where to look (WS-84 to WS-88). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "workspace/match.h"

namespace helve::workspace {

// Before anything is looked for. Refused: edit.empty_old {path}, edit.no_change {path}.
Result<void> check_wishes(std::span<const Wish> wishes, const std::string& shown);

// edit.no_match {path, explained}, edit.ambiguous and edit.ambiguous_loosely {path, count, lines},
// edit.no_change {path}, edit.overlap {path, first, second, line}, edit.too_many {path, count,
// limit}. `path` says which of several edits it is.
Refusal refusal_of(const Mismatch& mismatch, std::string_view text, std::span<const Wish> wishes,
                   const std::string& shown);

}  // namespace helve::workspace
