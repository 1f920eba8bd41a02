// workspace/detail/spill_quota.h
//
// Which spills belong to which session, and which of them have to go. Values only; one thread at a
// time.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "workspace/spills.h"

namespace helve::workspace {

class SpillQuota {
 public:
  // Sessions that are counted; files of one that was forgotten go by age.
  static constexpr std::size_t kMostSessions = 1'000;

  // The session has this file now. Gives the older ones that are too much with it.
  std::vector<std::string> add(const std::string& session, const std::string& file,
                               std::uint64_t bytes, const Spills::Limits& limits);

 private:
  struct Kept {
    std::string file;
    std::uint64_t bytes = 0;
  };
  struct Session {
    std::string name;
    std::deque<Kept> files;  // the oldest first
    std::uint64_t bytes = 0;
  };
  Session& session_named(const std::string& name);

  std::list<Session> sessions_;  // the latest used first
};

}  // namespace helve::workspace
