#include "workspace/pages.h"

#include <algorithm>

#include "base/encoded.h"
#include "workspace/detail/page_start.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kPeek = 64;  // bytes beyond the longest part, to see what is behind it

// What is to be shown of one line.
struct Line {
  std::size_t bytes = 0;  // of its text, without the end
  std::size_t end = 0;    // bytes of the line end; 0: it has none, or is cut
  bool cr = false;        // the end is a CR LF
  bool cut = false;
};

Line look_at_line(std::string_view bytes, std::size_t most, Encoding encoding) {
  const std::size_t unit = unit_of(encoding);
  const std::size_t end = find_line_end(bytes, 0, encoding);
  Line line;
  if (end == std::string_view::npos) {
    line.bytes = bytes.size();
  } else {
    line.cr = follows_cr(bytes, end, encoding);
    line.bytes = end - (line.cr ? unit : 0);
    line.end = line.cr ? 2 * unit : unit;
  }
  if (line.bytes <= most) return line;
  return {.bytes = character_floor(bytes, most, encoding), .cut = true};
}

// Puts the lines of a page together.
class Builder {
 public:
  Builder(Source& source, const LineIndex& index, const PageRequest& request,
          const PageStart& start)
      : source_(source),
        encoding_(index.kind.encoding),
        request_(request),
        start_(start),
        line_start_(start.line_start),
        at_(start.at),
        number_(start.number) {}

  Result<Page> build() {
    while (lines_ < request_.limit && !full_) {
      if (auto added = add_line(); !added) return std::unexpected(added.error());
    }
    page_.first = lines_ == 0 ? 0 : start_.number;
    page_.last = lines_ == 0 ? 0 : number_ - (page_.cut ? 0 : 1);
    page_.unfinished = unfinished_;
    return std::move(page_);
  }

  std::uint64_t at() const { return at_; }  // behind what is shown
  std::uint64_t line_start() const { return line_start_; }
  std::int64_t number() const { return number_; }  // of the line that is shown next

 private:
  Result<void> add_line() {
    // Whoever reads a line on by its column wants it: then it comes in larger parts.
    const bool goes_on = lines_ == 0 && request_.column > 0;
    const std::size_t most = goes_on ? kLinePart : kWholeLine;
    const auto bytes = source_.at(at_, most + kPeek);
    if (!bytes) return std::unexpected(bytes.error());
    full_ = bytes->empty() && !(goes_on && at_ > line_start_);
    if (!full_) show(*bytes, look_at_line(*bytes, most, encoding_));
    return {};
  }

  void show(std::string_view bytes, Line line) {
    std::string shown = request_.numbers ? std::to_string(number_) + '\t' : std::string();
    const std::size_t prefix = shown.size();
    bool valid = append_decoded(shown, bytes.substr(0, line.bytes), encoding_);
    if (line.end > 0) shown += '\n';
    std::size_t cost = encoded_size(shown);
    if (spent_ + cost > request_.budget) {
      full_ = true;
      if (lines_ > 0) return;
      const std::size_t room = request_.budget - std::min(request_.budget, prefix + 3);
      const std::size_t fits = bytes_within(bytes.substr(0, line.bytes), room, encoding_);
      line = {.bytes = fits, .cut = true};
      shown.resize(prefix);
      valid = append_decoded(shown, bytes.substr(0, line.bytes), encoding_);
      cost = encoded_size(shown);
    }
    spent_ += cost;
    page_.lone_cr = page_.lone_cr || shown.contains('\r');
    page_.lossy = page_.lossy || !valid;
    page_.text += shown;
    move_behind(line);
  }

  void move_behind(const Line& line) {
    ++lines_;
    if (line.cut) {
      page_.cut = Cut{.from = at_ - line_start_, .to = at_ + line.bytes - line_start_};
      at_ += line.bytes;
      full_ = true;
      return;
    }
    unfinished_ = line.end == 0;
    if (!unfinished_) (line.cr ? page_.crlf : page_.lf) = true;
    full_ = full_ || unfinished_;
    at_ += line.bytes + line.end;
    line_start_ = at_;
    ++number_;
  }

  Source& source_;
  const Encoding encoding_;
  const PageRequest& request_;
  const PageStart start_;
  std::uint64_t line_start_, at_;
  std::int64_t number_;
  std::size_t spent_ = 0;
  std::uint64_t lines_ = 0;
  bool full_ = false, unfinished_ = false;
  Page page_;
};

// How long the line is that was cut at `at`.
Result<void> measure(Cut& cut, Source& source, const LineIndex& index, std::uint64_t line_start,
                     std::uint64_t at) {
  if (index.complete && line_start == index.open_start) {
    cut.bytes = index.scanned - line_start;
    return {};
  }
  const std::uint64_t most = index.complete ? source.size() : kCountOn;
  const auto end = find_end_of_line(source, index.kind.encoding, at, most);
  if (!end) return std::unexpected(end.error());
  cut.exact = end->has_value();
  cut.bytes = end->value_or(at + most) - line_start;
  return {};
}

std::optional<Next> next_of(const Page& page, const Builder& builder, bool more) {
  const std::int64_t number = builder.number();
  const std::int64_t offset = number < 0 ? number : number - 1;
  if (page.cut) return Next{.offset = offset, .column = page.cut->to};
  if (!more || number == 0) return std::nullopt;
  return Next{.offset = offset};
}

}  // namespace

Result<Page> read_page(Source& source, LineIndex& index, const PageRequest& request) {
  const auto start = find_start(source, index, request);
  if (!start) return std::unexpected(start.error());
  Builder builder(source, index, request, *start);
  auto page = builder.build();
  if (!page) return page;
  if (page->cut) {
    const auto measured = measure(*page->cut, source, index, builder.line_start(), builder.at());
    if (!measured) return std::unexpected(measured.error());
  }
  const auto rest = source.at(builder.at(), 1);
  if (!rest) return std::unexpected(rest.error());
  page->next = next_of(*page, builder, !rest->empty());

  // Counting from the beginning tells nothing about a page that was found from the end.
  if (page->first >= 0) {
    const auto counted = extend(index, source, {.byte = builder.at() + kCountOn});
    if (!counted) return std::unexpected(counted.error());
  }
  const auto seen = static_cast<std::uint64_t>(page->first < 0 ? -page->first : page->last);
  page->lines = std::max(index.total(), seen);
  page->lines_exact = index.complete;
  page->lf = page->lf || index.lf;
  page->crlf = page->crlf || index.crlf;
  return page;
}

}  // namespace helve::workspace
