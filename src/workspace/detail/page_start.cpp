#include "workspace/detail/page_start.h"

#include <algorithm>

namespace helve::workspace {
namespace {

// Offset -k as what it skips.
std::uint64_t magnitude(std::int64_t offset) { return 0 - static_cast<std::uint64_t>(offset); }

struct FromEnd {
  std::uint64_t start = 0;
  bool all = false;  // there are no more lines than were asked for
};

// Looks for the beginning of the `count`-th line from the end, backwards.
Result<FromEnd> seek_back(Source& source, const TextKind& kind, std::uint64_t count) {
  const std::size_t unit = unit_of(kind.encoding);
  std::uint64_t found = 0;
  for (std::uint64_t end = source.size(); end > kind.bom;) {
    const std::uint64_t begin = (end - 1) / Source::kBlock * Source::kBlock;
    const auto read = source.at(begin, end - begin);
    if (!read) return std::unexpected(read.error());
    const std::string_view block = read->substr(0, end - begin);
    for (std::size_t at = block.size();;) {
      at = find_last_line_end(block, at, kind.encoding);
      if (at == std::string_view::npos) break;
      const std::uint64_t behind = begin + at + unit;
      if (behind < source.size() && ++found == count) return FromEnd{.start = behind};
    }
    end = begin;
  }
  return FromEnd{.start = kind.bom, .all = true};
}

Result<PageStart> start_from_end(Source& source, LineIndex& index, std::uint64_t count) {
  if (!index.complete) {
    const auto found = seek_back(source, index.kind, count);
    if (!found) return std::unexpected(found.error());
    const std::int64_t number = found->all ? 1 : -static_cast<std::int64_t>(count);
    return PageStart{.line_start = found->start, .at = found->start, .number = number};
  }
  const std::uint64_t line = index.total() > count ? index.total() - count : 0;
  const auto start = start_of_line(index, source, line);
  if (!start) return std::unexpected(start.error());
  return PageStart{
      .line_start = *start, .at = *start, .number = static_cast<std::int64_t>(line) + 1};
}

Result<PageStart> start_from_beginning(Source& source, LineIndex& index, std::uint64_t line) {
  // Where the line begins is known before it is known that there is one.
  if (auto scanned = extend(index, source, {.line = line + 1}); !scanned) {
    return std::unexpected(scanned.error());
  }
  if (index.complete && line >= index.total() && index.total() > 0) {
    return refuse("read.past_end",
                  {{"path", source.shown()}, {"lines", std::to_string(index.total())}});
  }
  const auto start = start_of_line(index, source, line);
  if (!start) return std::unexpected(start.error());
  return PageStart{
      .line_start = *start, .at = *start, .number = static_cast<std::int64_t>(line) + 1};
}

// The column as a place in the line: not behind its end, and not inside a character.
Result<std::uint64_t> skip_column(Source& source, const LineIndex& index, std::uint64_t line_start,
                                  std::uint64_t column) {
  const Encoding encoding = index.kind.encoding;
  // No line end is in the part of the open line that was scanned; its last unit may be the CR of
  // one.
  const bool scanned = line_start == index.open_start && index.scanned > line_start + 4;
  const std::uint64_t known = scanned ? index.scanned - 4 : line_start;
  const std::uint64_t most = ~std::uint64_t{0} - line_start;
  const std::uint64_t wanted = line_start + std::min(column, most);
  if (wanted > known) {
    const auto end = find_end_of_line(source, encoding, known, wanted - known);
    if (!end) return std::unexpected(end.error());
    if (*end) return **end;
  }
  // Up to three bytes before it may belong to the same character.
  const std::uint64_t from = wanted - std::min<std::uint64_t>(wanted - line_start, 4);
  const std::uint64_t even = from - (from - line_start) % unit_of(encoding);
  const auto bytes = source.at(even, 16);
  if (!bytes) return std::unexpected(bytes.error());
  return even + character_floor(*bytes, wanted - even, encoding);
}

}  // namespace

Result<std::optional<std::uint64_t>> find_end_of_line(Source& source, Encoding encoding,
                                                      std::uint64_t from, std::uint64_t most) {
  bool after_cr = false;
  for (std::uint64_t at = from; at - from <= most;) {
    const auto block = source.at(at, Source::kBlock);
    if (!block) return std::unexpected(block.error());
    const std::size_t end = find_line_end(*block, 0, encoding);
    if (end != std::string_view::npos) {
      const bool cr = end == 0 ? after_cr : follows_cr(*block, end, encoding);
      return at + end - from > most ? std::nullopt
                                    : std::optional(at + end - (cr ? unit_of(encoding) : 0));
    }
    at += block->size();
    if (block->size() < Source::kBlock) return at - from > most ? std::nullopt : std::optional(at);
    after_cr = follows_cr(*block, block->size(), encoding);
  }
  return std::nullopt;
}

Result<PageStart> find_start(Source& source, LineIndex& index, const PageRequest& request) {
  auto start = request.offset < 0 ? start_from_end(source, index, magnitude(request.offset))
                                  : start_from_beginning(
                                        source, index, static_cast<std::uint64_t>(request.offset));
  if (!start || request.column == 0) return start;
  const auto at = skip_column(source, index, start->line_start, request.column);
  if (!at) return std::unexpected(at.error());
  start->at = *at;
  return start;
}

}  // namespace helve::workspace
