#include "http/detail/chunks.h"

#include <algorithm>
#include <charconv>

#include "http/detail/head.h"

namespace helve::http {
namespace {

// "1f" or "1f;name=value".
std::optional<std::uint64_t> parse_size(std::string_view line) {
  std::uint64_t size = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  if (error != std::errc() || (rest != end && *rest != ';')) return std::nullopt;
  if (!is_field_text({rest, end})) return std::nullopt;
  return size;
}

}  // namespace

Chunks::Step Chunks::read(std::string_view& bytes, std::string& body, std::uint64_t body_limit,
                          size_t line_limit) {
  while (!bytes.empty()) {
    const Step step = next(bytes, body, body_limit, line_limit);
    if (step != Step::kMore) return step;
  }
  return Step::kMore;
}

Chunks::Step Chunks::next(std::string_view& bytes, std::string& body, std::uint64_t body_limit,
                          size_t line_limit) {
  if (phase_ == Phase::kData) {
    const std::string_view data = bytes.substr(0, missing_);
    body.append(data);
    bytes.remove_prefix(data.size());
    missing_ -= data.size();
    if (missing_ == 0) phase_ = Phase::kDataEnd;
    return Step::kMore;
  }
  // So that no line is waited for where none begins.
  if (phase_ == Phase::kDataEnd && line_.empty() && bytes.front() != '\r') return Step::kBroken;
  const Line line = take_line(bytes, line_limit);
  if (line == Line::kMore) return Step::kMore;
  if (line == Line::kBroken) return Step::kBroken;
  Step step = Step::kMore;
  if (phase_ == Phase::kSize) {
    step = on_size(body_limit - std::min<std::uint64_t>(body_limit, body.size()));
  } else if (phase_ == Phase::kTrailer) {
    step = on_trailer();
  } else {
    step = line_.empty() ? Step::kMore : Step::kBroken;
    phase_ = Phase::kSize;
  }
  line_.clear();
  return step;
}

// Into line_, without its end.
Chunks::Line Chunks::take_line(std::string_view& bytes, size_t limit) {
  const size_t feed = bytes.find('\n');
  const std::string_view taken = bytes.substr(0, feed == std::string_view::npos ? feed : feed + 1);
  line_.append(taken);
  bytes.remove_prefix(taken.size());
  if (trailer_bytes_ + line_.size() > limit) return Line::kBroken;
  if (feed == std::string_view::npos) return Line::kMore;
  if (!line_.ends_with("\r\n")) return Line::kBroken;
  line_.resize(line_.size() - 2);
  return Line::kWhole;
}

Chunks::Step Chunks::on_size(std::uint64_t room) {
  const auto size = parse_size(line_);
  if (!size) return Step::kBroken;
  if (*size > room) return Step::kTooLarge;
  missing_ = *size;
  phase_ = missing_ == 0 ? Phase::kTrailer : Phase::kData;
  return Step::kMore;
}

Chunks::Step Chunks::on_trailer() {
  if (line_.empty()) return Step::kWhole;
  trailer_bytes_ += line_.size();
  return is_trailer(line_) ? Step::kMore : Step::kBroken;
}

}  // namespace helve::http
