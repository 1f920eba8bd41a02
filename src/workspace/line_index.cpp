#include "workspace/line_index.h"

#include <algorithm>

namespace helve::workspace {
namespace {

void add_start(LineIndex& index) {
  if (index.starts.size() == LineIndex::kMostStarts) {
    for (std::size_t i = 0; 2 * i < index.starts.size(); ++i) index.starts[i] = index.starts[2 * i];
    index.starts.resize(LineIndex::kMostStarts / 2);
    index.stride *= 2;
  }
  if (index.lines % index.stride == 0) index.starts.push_back(index.open_start);
}

void scan(LineIndex& index, std::string_view block) {
  const Encoding encoding = index.kind.encoding;
  const std::size_t unit = unit_of(encoding);
  const std::uint64_t mask = index.stride - 1;  // a wider stride only adds calls that do nothing
  for (std::size_t at = 0; (at = find_line_end(block, at, encoding)) != std::string_view::npos;) {
    const bool cr = at == 0 ? index.after_cr : follows_cr(block, at, encoding);
    (cr ? index.crlf : index.lf) = true;
    at += unit;
    ++index.lines;
    index.open_start = index.scanned + at;
    if ((index.lines & mask) == 0) add_start(index);
  }
  index.after_cr = follows_cr(block, block.size() - block.size() % unit, encoding);
  index.scanned += block.size();
}

}  // namespace

LineIndex::LineIndex(TextKind of)
    : kind(of), open_start(of.bom), starts{static_cast<std::uint64_t>(of.bom)} {}

Result<void> extend(LineIndex& index, Source& source, Until until, Sha256* digest) {
  while (!index.complete && index.lines < until.line && index.scanned < until.byte) {
    const auto block = source.at(index.scanned, Source::kBlock);
    if (!block) return std::unexpected(block.error());
    if (digest != nullptr) digest->update(*block);
    index.complete = block->size() < Source::kBlock;
    if (!block->empty()) scan(index, *block);
  }
  return {};
}

Result<std::uint64_t> start_of_line(const LineIndex& index, Source& source, std::uint64_t line) {
  if (line >= index.lines) return index.open_start;
  const Encoding encoding = index.kind.encoding;
  std::uint64_t start = index.starts[line / index.stride];
  for (std::uint64_t missing = line % index.stride; missing > 0;) {
    const auto block = source.at(start, Source::kBlock);
    if (!block) return std::unexpected(block.error());
    if (block->empty()) break;  // the file shrank meanwhile: the caller sees that by its status
    std::size_t at = 0;
    while (missing > 0) {
      const std::size_t end = find_line_end(*block, at, encoding);
      if (end == std::string_view::npos) break;
      at = end + unit_of(encoding);
      --missing;
    }
    start += missing > 0 ? block->size() : at;
  }
  return start;
}

std::shared_ptr<const LineIndex> LineIndexes::find(const os::Identity& file) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.file == file; });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->index;
}

void LineIndexes::keep(const os::Identity& file, LineIndex index) {
  auto shared = std::make_shared<const LineIndex>(std::move(index));
  const std::scoped_lock lock(mutex_);
  // Older states of the same file are never asked for again.
  kept_.remove_if([&](const Kept& kept) {
    return kept.file.device == file.device && kept.file.inode == file.inode;
  });
  kept_.push_front({file, std::move(shared)});
  if (kept_.size() > kMostFiles) kept_.pop_back();
}

}  // namespace helve::workspace
