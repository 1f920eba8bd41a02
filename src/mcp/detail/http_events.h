// mcp/detail/http_events.h
//
// The events of the streams of one session, as far as they are kept for a client that comes back
// with Last-Event-ID (2025-11-25). Ids are never used twice and cannot be guessed from those of
// another session. What is too old is gone: a client that comes back then misses it. Loop thread
// only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace helve::mcp {

class EventStore {
 public:
  EventStore(size_t most, size_t most_bytes);

  // Behind which event the client has seen nothing.
  struct Place {
    std::uint64_t stream = 0, sequence = 0;
    bool operator==(const Place&) const = default;
  };
  struct Event {
    Place place;
    std::string data;
    Clock::time_point at;
  };

  // Keeps it and gives its id. What is larger than all that may be kept has an id all the same.
  std::string add(std::uint64_t stream, std::string_view data);
  // An id for an event that says nothing.
  std::string mark(std::uint64_t stream);

  std::string id_of(const Place& place) const;
  // Nullopt for what is no id that was given out here.
  std::optional<Place> read(std::string_view id) const;
  std::vector<const Event*> after(const Place& place) const;  // of the same stream

  void forget(std::uint64_t stream);
  void expire(Clock::time_point before);
  size_t size() const { return events_.size(); }
  size_t bytes() const { return bytes_; }

 private:
  void drop_first();

  std::string tag_;
  size_t most_, most_bytes_;
  std::uint64_t given_ = 0;
  std::deque<Event> events_;
  size_t bytes_ = 0;
};

}  // namespace helve::mcp
