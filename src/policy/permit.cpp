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

Permit Permit::with_usual(const Limits& usual) const {
  Permit permit = *this;
  const auto fill = [](auto& limit, const auto& otherwise) {
    if (!limit) limit = otherwise;
  };
  Limits& limits = permit.limits_;
  fill(limits.cpu_seconds, usual.cpu_seconds);
  fill(limits.memory_bytes, usual.memory_bytes);
  fill(limits.file_bytes, usual.file_bytes);
  fill(limits.open_files, usual.open_files);
  fill(limits.user_processes, usual.user_processes);
  fill(limits.tree_memory_bytes, usual.tree_memory_bytes);
  fill(limits.tree_processes, usual.tree_processes);
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
