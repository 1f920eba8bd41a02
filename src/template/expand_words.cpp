// The words of a leaf: replacement, empty words, limits, masking, the program.
#include <filesystem>

#include "template/detail/expander.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kMask = "***";

}  // namespace

Status Expander::words(const Node& node, Step& step) {
  step.argv.reserve(node.words.size());
  size_t bytes = 0;
  for (const CompiledWord& each : node.words) {
    Status done = word(each, step, bytes);
    if (done) continue;
    return std::unexpected(in_word(std::move(done.error()), each.source, each.offset));
  }
  if (step.argv.empty() || step.argv.front().empty()) return fail("empty_command");
  step.program = resolve_program(step.argv.front(), place_.cwd, place_.home);
  return charge(bytes + step.argv.size() * sizeof(std::string));
}

Status Expander::word(const CompiledWord& word, Step& step, size_t& bytes) {
  std::string& out = step.argv.emplace_back();
  std::string shown;
  bool masked = false;
  if (Status done = text(word, out, shown, masked); !done) return done;
  const bool is_command = step.argv.size() == 1;
  if (out.empty() && !is_command && (word.droppable || tree_.drop_empty_words)) {
    step.argv.pop_back();
    return {};
  }
  if (out.find('\0') != std::string::npos) return fail("nul_byte");
  if (out.size() > tree_.limits.word_bytes)
    return over_limit("word_bytes", tree_.limits.word_bytes);
  bytes += out.size() + 1;
  if (bytes > tree_.limits.argument_bytes) {
    return over_limit("argument_bytes", tree_.limits.argument_bytes);
  }
  if (masked && step.shown.empty()) step.shown.assign(step.argv.begin(), step.argv.end() - 1);
  if (masked) {
    step.shown.push_back(std::move(shown));
  } else if (!step.shown.empty()) {
    step.shown.push_back(out);
  }
  return {};
}

// `shown` is written only where there is something to hide.
Status Expander::text(const CompiledWord& word, std::string& out, std::string& shown,
                      bool& masked) {
  if (!resolver_.hides_anything()) return resolver_.append(out, word.pieces);
  for (const Piece& piece : word.pieces) {
    const size_t size = out.size();
    resolver_.take_secret_use();
    if (Status done = resolver_.append(out, piece); !done) return done;
    const bool secret = resolver_.take_secret_use();
    masked = masked || secret;
    shown += secret ? kMask : std::string_view(out).substr(size);
  }
  return {};
}

std::string resolve_program(std::string_view word, const std::string& cwd,
                            const std::string& home) {
  const bool at_home = word == "~" || word.starts_with("~/");
  std::filesystem::path path(word);
  if (at_home && !home.empty()) {
    path = home + std::string(word.substr(1));
  } else if (word.starts_with('/') || word.find('/') == std::string_view::npos) {
    return std::string(word);
  } else if (!cwd.empty()) {
    path = std::filesystem::path(cwd) / path;
  }
  return path.lexically_normal().string();
}

}  // namespace helve::tmpl
