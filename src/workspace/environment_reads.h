// workspace/environment_reads.h
//
// Which items of the read-only environment a session has read, and as what, so that it is told what
// a reload of the environment changed for it (WS-19). Kept with the session, as Knowledge is. Loop
// thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>

namespace helve::tool {
class Session;
}

namespace helve::workspace {

struct Workspace;
struct Place;

struct EnvironmentReads {
  static constexpr std::size_t kMostItems = 2'000;  // then the first by name go

  struct Item {
    std::string shown;     // its path
    std::string revision;  // of the environment when it was read
    std::string version;   // of the file; "": it is gone, and that was said
    bool operator==(const Item&) const = default;
  };
  std::map<std::string, Item> items;  // by path
  std::string revision;               // that the session saw last; "": none

  void saw(const Place& place, const std::string& version, const std::string& now);
};

// If the environment is another than when the session last saw it: one line about the items that it
// has read and that have changed or are gone since; "" if there are none, or nothing is remembered.
// Said once: the session has seen this revision then.
boost::asio::awaitable<std::string> environment_news(Workspace& workspace, tool::Session& session,
                                                     std::string revision);

}  // namespace helve::workspace
