// mcp/detail/hub.h
//
// What all peers of a server share: who is told of changed lists, and how much is being worked on.
// Peers keep it, so that it outlives whatever they have started. Loop thread only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tool/registry.h"

namespace helve::mcp {

class Peer;

// Kinds of changes: those that happened, or those that somebody wants to hear of.
struct Changes {
  bool tools = false, prompts = false, resources = false;
  std::set<std::string, std::less<>> uris;  // of resources

  void add(const tool::Change& change);
};

class Hub : public std::enable_shared_from_this<Hub> {
 public:
  // From now on the peer is told of changes, until it is gone. Any number of times.
  void join(Peer& peer);
  void leave(Peer& peer);

  // What changes within one turn of the loop is told together.
  void note(const tool::Change& change);

  size_t bytes = 0;          // text of the requests under way
  size_t subscriptions = 0;  // open ones

 private:
  void tell();

  std::vector<Peer*> peers_;
  Changes pending_;
  bool posted_ = false;
};

// What one request takes of the hub's limits, until the Share is gone.
class Share {
 public:
  Share() = default;
  Share(std::shared_ptr<Hub> hub, size_t bytes, size_t subscriptions);
  Share(Share&& other) noexcept;
  Share& operator=(Share&& other) noexcept;
  ~Share();

 private:
  std::shared_ptr<Hub> hub_;
  size_t bytes_ = 0, subscriptions_ = 0;
};

}  // namespace helve::mcp
