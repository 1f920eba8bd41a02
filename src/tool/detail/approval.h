// tool/detail/approval.h
//
// What the policy says of a call, and what the person says where the policy asks (decisions,
// section 7). A question goes out as a form of the client; its outcomes are accept, decline, cancel
// and unavailable: some clients decline at once without asking anybody, and that is nobody's no
// (spec/mcp.md, section 6.3). Loop thread only.
#pragma once

#include <variant>

#include "policy/policy.h"
#include "tool/session.h"
#include "tool/tool.h"

namespace helve::tool {

struct Approved {
  policy::Permit permit;
  bool asked = false;  // a person was, in an earlier round or this one
};
using Approval = std::variant<Approved, Needs, Refusal>;

// Takes what belongs to it out of `round`: what is left is the tool's. A yes holds for the tool as
// the person saw it: of one that was replaced meanwhile, they are asked again. `via`: the tool of
// ours that the call came through, which the policy may name too; empty for none.
Approval approve(const policy::Policy& policy, Session& session, const Tool& tool,
                 std::string_view via, const JsonObject& arguments, Asks can_ask, Round& round);

// The state of an earlier round, of which only the tool's own part is left in `round`.
Json take_state(Round& round);

// What a tool needs, with what the next round must know of the approval. `approved`: the tool that
// a person has said yes to; null if nobody was asked.
Needs with_approval(Needs needs, const Tool* approved);

}  // namespace helve::tool
