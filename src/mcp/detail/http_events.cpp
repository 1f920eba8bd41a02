#include "mcp/detail/http_events.h"

#include <charconv>

#include "base/ids.h"
#include "base/text.h"

namespace helve::mcp {
namespace {

constexpr char kSeparator = '-';

// Decimal digits as we write them, so that each place has one id.
std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

}  // namespace

EventStore::EventStore(size_t most, size_t most_bytes)
    : tag_(random_hex(8)), most_(most), most_bytes_(most_bytes) {}

std::string EventStore::add(std::uint64_t stream, std::string_view data) {
  const Place place{stream, ++given_};
  events_.push_back({place, std::string(data), Clock::now()});
  bytes_ += data.size();
  while (events_.size() > most_ || bytes_ > most_bytes_) drop_first();
  return id_of(place);
}

std::string EventStore::mark(std::uint64_t stream) { return id_of({stream, ++given_}); }

std::string EventStore::id_of(const Place& place) const {
  return tag_ + kSeparator + std::to_string(place.stream) + kSeparator +
         std::to_string(place.sequence);
}

std::optional<EventStore::Place> EventStore::read(std::string_view id) const {
  const auto parts = split(id, kSeparator);
  if (parts.size() != 3 || parts[0] != tag_) return std::nullopt;
  const auto stream = read_number(parts[1]);
  const auto sequence = read_number(parts[2]);
  if (!stream || !sequence || *sequence == 0 || *sequence > given_) return std::nullopt;
  return Place{*stream, *sequence};
}

std::vector<const EventStore::Event*> EventStore::after(const Place& place) const {
  std::vector<const Event*> found;
  for (const Event& event : events_) {
    if (event.place.stream == place.stream && event.place.sequence > place.sequence) {
      found.push_back(&event);
    }
  }
  return found;
}

void EventStore::forget(std::uint64_t stream) {
  std::erase_if(events_, [&](const Event& event) {
    if (event.place.stream != stream) return false;
    bytes_ -= event.data.size();
    return true;
  });
}

void EventStore::expire(Clock::time_point before) {
  while (!events_.empty() && events_.front().at < before) drop_first();
}

void EventStore::drop_first() {
  bytes_ -= events_.front().data.size();
  events_.pop_front();
}

}  // namespace helve::mcp
