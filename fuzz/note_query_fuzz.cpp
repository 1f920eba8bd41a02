// Any query is cut into few pieces with valid keys, and each text that is quoted finds itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "notes/query.h"

namespace {

using namespace helve::notes;

void check_piece(const Piece& piece, std::string_view text_key) {
  HELVE_CHECK(!piece.key.empty() && helve::is_utf8(piece.key) && helve::is_utf8(piece.text));
  HELVE_CHECK(piece.text.find('\0') == std::string::npos && piece.key == search_key(piece.text));
  HELVE_CHECK(!needs_check(piece) || way_of(piece) == Way::kWords);
  HELVE_CHECK(!matches(piece, "", ""));
  if (matches(piece, "", text_key)) {
    HELVE_CHECK(!piece.title && text_key.contains(piece.key) && matches(piece, text_key, ""));
  }
}

void check_quoted(std::string_view text) {
  std::string query = "\"";
  for (const char c : text) query.append(c == '"' ? 2U : 1U, c);
  for (const char* const mark : {"", "*"}) {
    const auto pieces = cut(query + '"' + mark);
    HELVE_CHECK(pieces.size() <= 1);
    if (!pieces.empty()) HELVE_CHECK(matches(pieces[0], search_key(text), ""));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string key = search_key(text);
  HELVE_CHECK(helve::is_utf8(key) && key.find('\n') == std::string::npos);
  const auto pieces = cut(text);
  HELVE_CHECK(pieces.size() <= 32);
  for (const Piece& piece : pieces) check_piece(piece, key);
  check_quoted(text);
  return 0;
}
