#include "workspace/detail/spill_quota.h"

#include <algorithm>

namespace helve::workspace {

SpillQuota::Session& SpillQuota::session_named(const std::string& name) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                  [&](const Session& session) { return session.name == name; });
  if (found != sessions_.end()) {
    sessions_.splice(sessions_.begin(), sessions_, found);
  } else {
    sessions_.push_front({.name = name});
    if (sessions_.size() > kMostSessions) sessions_.pop_back();
  }
  return sessions_.front();
}

std::vector<std::string> SpillQuota::add(const std::string& session, const std::string& file,
                                         std::uint64_t bytes, const Spills::Limits& limits) {
  Session& owner = session_named(session);
  const auto same = std::find_if(owner.files.begin(), owner.files.end(),
                                 [&](const Kept& kept) { return kept.file == file; });
  if (same != owner.files.end()) {
    owner.bytes -= same->bytes;
    owner.files.erase(same);
  }
  owner.files.push_back({file, bytes});
  owner.bytes += bytes;
  std::vector<std::string> excess;
  while (owner.files.size() > 1 &&
         (owner.files.size() > limits.session_files || owner.bytes > limits.session_bytes)) {
    owner.bytes -= owner.files.front().bytes;
    excess.push_back(std::move(owner.files.front().file));
    owner.files.pop_front();
  }
  return excess;
}

}  // namespace helve::workspace
