// The texts beside the words: labels and outputs of nodes, kept short, and what the root selects.
#include <algorithm>

#include "base/text.h"
#include "template/detail/expander.h"

namespace helve::tmpl {
namespace {

constexpr size_t kLabelBytes = 1'000;
constexpr size_t kOutputBytes = 4'096;  // of an inner node
constexpr std::string_view kCut = "…";

// A text that was written to somewhat beyond `limit`, cut to it.
void cut(std::string& text, size_t limit) {
  if (text.size() <= limit) return;
  text.resize(utf8_floor(text, limit - kCut.size()));
  text += kCut;
}

}  // namespace

// Placeholders that cannot be filled in stay as written; a blank label counts as none (CT-78).
std::string Expander::label(const Pieces& pieces) {
  std::string out;
  for (const Piece& piece : pieces) {
    const size_t size = out.size();
    if (size > kLabelBytes) break;
    resolver_.take_secret_use();
    if (!resolver_.append_start(out, piece, kLabelBytes + 1 - size)) {
      out.resize(size);
      out += std::string_view(piece.extra->source).substr(0, kLabelBytes + 1 - size);
    } else if (resolver_.take_secret_use()) {
      out.replace(size, std::string::npos, "***");
    }
  }
  if (trim(out).empty()) return {};
  cut(out, kLabelBytes);
  return flatten_controls(out);
}

// That of an inner node is for the report alone (CT-95).
Status Expander::output(const Pieces& pieces, Step& step) {
  for (const Piece& piece : pieces) {
    const size_t size = step.output.size();
    const size_t room = kOutputBytes + 1 - std::min(size, kOutputBytes + 1);
    if (Status done = resolver_.append_start(step.output, piece, room); !done) return done;
  }
  cut(step.output, kOutputBytes);
  return charge(step.output.size());
}

Result<Selected> Expander::selected(const Node& root) {
  Selected out;
  if (root.output.empty()) return out;
  out.is_stdout = false;
  Result<Resolver::Mark> mark = resolver_.enter(root);
  if (!mark) return std::unexpected(mark.error());
  Status done = resolver_.append(out.text, root.output);
  resolver_.leave(*mark);
  if (done && out.text.size() > tree_.limits.word_bytes) {
    done = over_limit("output_bytes", tree_.limits.word_bytes);
  }
  if (done) done = charge(out.text.size());
  if (!done) return std::unexpected(done.error());
  const Piece& piece = root.output.front();
  out.is_artifact = root.output.size() == 1 && piece.kind == Piece::Kind::kName &&
                    tree_.names[piece.slot].type.kind == Type::Kind::kPath;
  return out;
}

}  // namespace helve::tmpl
