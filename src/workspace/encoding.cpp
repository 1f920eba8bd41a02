#include "workspace/encoding.h"

#include <algorithm>
#include <cstring>

#include "base/encoded.h"
#include "base/text.h"

namespace helve::workspace {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kNone = std::string_view::npos;

// Of a text in another encoding, a few bytes are invalid; of what is no text, most are.
bool mostly_invalid(std::string_view bytes) {
  // The last character may be cut.
  const std::size_t whole =
      bytes.size() < kSniffed ? bytes.size() : utf8_floor(bytes, bytes.size() - 3);
  std::size_t invalid = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t from = at;
    if (next_code_point(bytes, at) == 0xFFFD && bytes.substr(from, 3) != "\xEF\xBF\xBD") {
      invalid += at - from;
    }
  }
  return invalid * 10 > whole * 3;
}

unsigned unit_at(std::string_view bytes, std::size_t at, Encoding encoding) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return encoding == Encoding::kUtf16Le ? second * 256U + first : first * 256U + second;
}

bool leads(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool trails(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

// One character of UTF-16, behind which `at` moves; U+FFFD and false for half of one.
bool next_of_utf16(std::string_view bytes, std::size_t& at, Encoding encoding, char32_t& out) {
  out = 0xFFFD;
  if (bytes.size() - at < 2) {
    at = bytes.size();
    return false;
  }
  const unsigned unit = unit_at(bytes, at, encoding);
  at += 2;
  if (!leads(unit) && !trails(unit)) {
    out = unit;
    return true;
  }
  if (trails(unit) || bytes.size() - at < 2) return false;
  const unsigned next = unit_at(bytes, at, encoding);
  if (!trails(next)) return false;
  at += 2;
  out = 0x10000 + ((unit - 0xD800) << 10U) + (next - 0xDC00);
  return true;
}

std::size_t character_size(std::string_view bytes, Encoding encoding) {
  std::size_t size = 0;
  char32_t character = 0;
  if (unit_of(encoding) == 1) {
    next_code_point(bytes, size);
  } else {
    next_of_utf16(bytes, size, encoding, character);
  }
  return size;
}

// Whether the '\n' or '\r' at `at` is a whole unit; `start` is where that begins.
bool is_unit(std::string_view bytes, std::size_t at, Encoding encoding, std::size_t& start) {
  start = at;
  if (encoding == Encoding::kUtf16Le) {
    return at % 2 == 0 && at + 1 < bytes.size() && bytes[at + 1] == '\0';
  }
  if (encoding == Encoding::kUtf16Be) {
    start = at - 1;
    return at % 2 == 1 && bytes[at - 1] == '\0';
  }
  return true;
}

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view type;
};
constexpr Magic kMagic[] = {
    {0, "\x89PNG\r\n\x1A\n"sv, "image/png"},
    {0, "\xFF\xD8\xFF"sv, "image/jpeg"},
    {0, "GIF87a"sv, "image/gif"},
    {0, "GIF89a"sv, "image/gif"},
    {8, "WEBP"sv, "image/webp"},
    {8, "WAVE"sv, "audio/wav"},
    {8, "AVI "sv, "video/x-msvideo"},
    {0, "BM"sv, "image/bmp"},
    {0, "II*\0"sv, "image/tiff"},
    {0, "MM\0*"sv, "image/tiff"},
    {0, "\0\0\1\0"sv, "image/vnd.microsoft.icon"},
    {0, "%PDF-"sv, "application/pdf"},
    {0, "PK\3\4"sv, "application/zip"},
    {0, "PK\5\6"sv, "application/zip"},
    {0, "\x1F\x8B"sv, "application/gzip"},
    {0, "BZh"sv, "application/x-bzip2"},
    {0, "\xFD\x37zXZ\0"sv, "application/x-xz"},
    {0, "\x28\xB5\x2F\xFD"sv, "application/zstd"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "application/x-7z-compressed"},
    {257, "ustar"sv, "application/x-tar"},
    {0, "\x7F\x45LF"sv, "application/x-elf"},
    {0, "MZ"sv, "application/vnd.microsoft.portable-executable"},
    {0, "\xCF\xFA\xED\xFE"sv, "application/x-mach-binary"},
    {0, "\xCA\xFE\xBA\xBE"sv, "application/java-vm"},
    {0, "\0asm"sv, "application/wasm"},
    {0, "SQLite format 3\0"sv, "application/vnd.sqlite3"},
    {0, "!<arch>\n"sv, "application/x-archive"},
    {0, "OggS"sv, "application/ogg"},
    {0, "fLaC"sv, "audio/flac"},
    {0, "ID3"sv, "audio/mpeg"},
    {4, "ftyp"sv, "video/mp4"},
    {0, "wOF2"sv, "font/woff2"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "application/x-ole-storage"},
};

}  // namespace

TextKind kind_of(std::string_view beginning) {
  const std::string_view bytes = beginning.substr(0, kSniffed);
  if (bytes.starts_with("\xEF\xBB\xBF")) return {Encoding::kUtf8, 3};
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return {Encoding::kBinary, 0};  // UTF-32
  if (bytes.starts_with("\xFF\xFE")) return {Encoding::kUtf16Le, 2};
  if (bytes.starts_with("\xFE\xFF")) return {Encoding::kUtf16Be, 2};
  if (bytes.contains('\0') || mostly_invalid(bytes)) return {Encoding::kBinary, 0};
  return {};
}

std::string_view name_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return "UTF-8";
    case Encoding::kUtf16Le:
      return "UTF-16LE";
    case Encoding::kUtf16Be:
      return "UTF-16BE";
    case Encoding::kBinary:
      break;
  }
  return "binary";
}

std::string_view type_of(std::string_view beginning) {
  for (const Magic& magic : kMagic) {
    if (beginning.size() >= magic.at && beginning.substr(magic.at).starts_with(magic.bytes)) {
      return magic.type;
    }
  }
  return "application/octet-stream";
}

std::size_t find_line_end(std::string_view bytes, std::size_t from, Encoding encoding) {
  while (from < bytes.size()) {
    const void* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
    if (found == nullptr) return kNone;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    std::size_t start = at;
    if (is_unit(bytes, at, encoding, start)) return start;
    from = at + 1;
  }
  return kNone;
}

std::size_t find_last_line_end(std::string_view bytes, std::size_t before, Encoding encoding) {
  for (std::size_t end = std::min(before, bytes.size()); end > 0;) {
    const void* found = ::memrchr(bytes.data(), '\n', end);
    if (found == nullptr) return kNone;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    std::size_t start = at;
    if (is_unit(bytes, at, encoding, start)) return start;
    end = at;
  }
  return kNone;
}

bool follows_cr(std::string_view bytes, std::size_t at, Encoding encoding) {
  const std::size_t unit = unit_of(encoding);
  if (at < unit) return false;
  if (unit == 1) return bytes[at - 1] == '\r';
  return unit_at(bytes, at - 2, encoding) == '\r';
}

std::size_t character_floor(std::string_view bytes, std::size_t at, Encoding encoding) {
  if (at >= bytes.size()) return bytes.size();
  if (unit_of(encoding) == 1) return utf8_floor(bytes, at);
  at -= at % 2;
  const bool inside = at >= 2 && at + 1 < bytes.size() && leads(unit_at(bytes, at - 2, encoding)) &&
                      trails(unit_at(bytes, at, encoding));
  return inside ? at - 2 : at;
}

bool append_decoded(std::string& out, std::string_view bytes, Encoding encoding) {
  if (unit_of(encoding) == 1) {
    const bool valid = is_utf8(bytes);
    valid ? out.append(bytes) : out.append(to_utf8(bytes));
    return valid;
  }
  bool valid = true;
  for (std::size_t at = 0; at < bytes.size();) {
    char32_t character = 0;
    valid = next_of_utf16(bytes, at, encoding, character) && valid;
    append_utf8(out, character);
  }
  return valid;
}

std::size_t bytes_within(std::string_view bytes, std::size_t budget, Encoding encoding) {
  std::string text;
  std::size_t at = 0;
  // In steps while they fit, then character by character.
  for (std::size_t step = 1'024, spent = 0; at < bytes.size();) {
    const std::size_t end = step > 0 ? character_floor(bytes, at + step, encoding)
                                     : at + character_size(bytes.substr(at), encoding);
    text.clear();
    append_decoded(text, bytes.substr(at, end - at), encoding);
    const std::size_t cost = encoded_size(text);
    if (spent + cost <= budget) {
      spent += cost;
      at = end;
    } else if (step > 0) {
      step = 0;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace helve::workspace
