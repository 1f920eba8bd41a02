// http/detail/chunks.h
//
// Takes a chunked body apart (RFC 9112, 7.1). Not Beast's work: it takes a bare line feed within a
// chunk extension, where another reader may see the end of the line. Extensions and trailers are
// checked and dropped. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::http {

class Chunks {
 public:
  enum class Step { kMore, kWhole, kBroken, kTooLarge };

  // Moves the body that is in `bytes` to the end of `body`, which may grow to `body_limit`. No line
  // and no trailer is longer than `line_limit`. Takes no byte behind the end.
  Step read(std::string_view& bytes, std::string& body, std::uint64_t body_limit,
            size_t line_limit);

 private:
  enum class Phase { kSize, kData, kDataEnd, kTrailer };
  enum class Line { kMore, kWhole, kBroken };

  Step next(std::string_view& bytes, std::string& body, std::uint64_t body_limit,
            size_t line_limit);
  Line take_line(std::string_view& bytes, size_t limit);
  Step on_size(std::uint64_t room);
  Step on_trailer();

  Phase phase_ = Phase::kSize;
  std::uint64_t missing_ = 0;  // of the chunk's data
  size_t trailer_bytes_ = 0;
  std::string line_;  // of which the end may not have come yet
};

}  // namespace helve::http
