#include "policy/permit.h"

namespace helve::policy {

Permit Permit::owner(const Limits& limits) {
  Permit permit;
  permit.limits_ = limits;
  return permit;
}

Permit Permit::below(const std::filesystem::path& root, const Limits& limits) {
  Permit permit = owner(limits);
  permit.root_ = root.lexically_normal();
  return permit;
}

bool Permit::covers(const std::filesystem::path& folder) const {
  if (!root_) return true;
  const auto relative = folder.lexically_normal().lexically_relative(*root_);
  return !relative.empty() && *relative.begin() != "..";
}

Result<Allowed> allow(const Permit& permit, Command command) {
  if (permit.covers(command.folder)) return Allowed(std::move(command), permit.limits());
  return refuse("policy.folder_outside_root", {{"folder", command.folder.string()},
                                               {"root", permit.root().value_or("/").string()}});
}

}  // namespace helve::policy
