// workspace/detail/body.h
//
// The bytes of a file as the text that an edit is matched against: without a byte order mark,
// UTF-16 as UTF-8, anything else as it is (WS-83, WS-86); and the way back to the bytes. Half a
// surrogate pair becomes three bytes that no valid text has. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workspace/encoding.h"
#include "workspace/match.h"

namespace helve::workspace {

class Body {
 public:
  // The bytes outlive it.
  explicit Body(std::string_view bytes);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  std::string_view bytes() const { return bytes_; }
  std::string_view text() const { return text_; }
  bool is_text() const { return is_text_; }  // no NUL in its first 8 KiB
  bool has_bom() const { return bom_ > 0; }

  // A matching in text() as one in bytes().
  Matching in_bytes(const Matching& matching) const;

 private:
  bool is_utf16() const { return unit_of(encoding_) == 2; }
  void decode();
  char16_t unit_at(std::size_t at) const;
  char32_t next(std::size_t& at) const;  // one character of UTF-16; a lone half is itself
  std::string encode(std::string_view text) const;

  std::string_view bytes_, text_;
  std::string decoded_;
  Encoding encoding_ = Encoding::kUtf8;
  std::size_t bom_ = 0;
  bool is_text_ = true;
};

}  // namespace helve::workspace
