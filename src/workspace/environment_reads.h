// workspace/environment_reads.h
//
// Which items of the read-only environment a session has read, and at which revision, so that a
// reload can say what changed for it (WS-19). Kept with the session, as Knowledge is. Loop thread
// only.
#pragma once

#include <map>
#include <string>

namespace helve::workspace {

struct EnvironmentReads {
  static constexpr std::size_t kMostItems = 2'000;  // then the first by name go

  std::map<std::string, std::string> revisions;  // by path

  void saw(const std::string& path, const std::string& revision) {
    revisions[path] = revision;
    if (revisions.size() > kMostItems) revisions.erase(revisions.begin());
  }
};

}  // namespace helve::workspace
