#include "workspace/encoding.h"

#include <gtest/gtest.h>

#include "base/encoded.h"

namespace helve::workspace {
namespace {

using namespace std::string_literals;

struct KindCase {
  const char* name;
  std::string bytes;
  TextKind want;
};
const KindCase kKinds[] = {
    {"WS-67 nothing is a text", "", {Encoding::kUtf8, 0}},
    {"WS-67 ASCII is UTF-8", "abc\n", {Encoding::kUtf8, 0}},
    {"WS-67 a BOM decides for UTF-8",
     "\xEF\xBB\xBF"
     "abc",
     {Encoding::kUtf8, 3}},
    {"WS-67 even where a NUL follows",
     "\xEF\xBB\xBF"
     "a\0b"s,
     {Encoding::kUtf8, 3}},
    {"WS-67 a BOM decides for UTF-16LE",
     "\xFF\xFE"
     "a\0"s,
     {Encoding::kUtf16Le, 2}},
    {"WS-67 a BOM decides for UTF-16BE", "\xFE\xFF\0a"s, {Encoding::kUtf16Be, 2}},
    {"WS-67 UTF-32 is none of them", "\xFF\xFE\0\0a\0\0\0"s, {Encoding::kBinary, 0}},
    {"WS-67 WF-29 a NUL is binary", "abc\0def"s, {Encoding::kBinary, 0}},
    {"WS-67 a NUL behind 8 KiB is not", std::string(8192, 'a') + "\0"s, {Encoding::kUtf8, 0}},
    {"WS-67 some invalid bytes are a text", "caf\xE9 et th\xE9\n", {Encoding::kUtf8, 0}},
    {"WS-67 30 % are",
     "\xFF\xFF\xFF"
     "1234567",
     {Encoding::kUtf8, 0}},
    {"WS-67 WF-29 more than 30 % are not",
     "\xFF\xFF\xFF\xFF"
     "123456",
     {Encoding::kBinary, 0}},
    {"WS-67 a U+FFFD of the file is valid", "\xEF\xBF\xBD\xEF\xBF\xBD", {Encoding::kUtf8, 0}},
};

TEST(Encoding, TellsTextsFromOtherFiles) {
  for (const KindCase& c : kKinds) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(kind_of(c.bytes), c.want);
  }
}

struct TypeCase {
  const char* type;
  std::string bytes;
};
const TypeCase kTypes[] = {
    {"image/png", "\x89PNG\r\n\x1A\n"},
    {"image/jpeg", "\xFF\xD8\xFF\xE0"},
    {"image/gif", "GIF89a"},
    {"image/webp", "RIFF\1\2\3\4WEBP"},
    {"application/pdf", "%PDF-1.7"},
    {"application/zip", "PK\3\4"},
    {"application/gzip", "\x1F\x8B\b"},
    {"application/x-elf",
     "\x7F"
     "ELF\2"},
    {"application/x-tar", std::string(257, '\0') + "ustar"},
    {"application/octet-stream", "\1\2\3"},
    {"application/octet-stream", ""},
};

TEST(Encoding, Ws67NamesTheTypeByContent) {
  SCOPED_TRACE("WS-67");
  for (const TypeCase& c : kTypes) EXPECT_EQ(type_of(c.bytes), c.type);
}

struct EndCase {
  const char* name;
  Encoding encoding;
  std::string bytes;
  std::size_t first, last;
};
constexpr std::size_t kNone = std::string::npos;
const EndCase kEnds[] = {
    {"WS-69 LF", Encoding::kUtf8, "a\nb\nc", 1, 3},
    {"WS-69 there is none", Encoding::kUtf8, "abc", kNone, kNone},
    {"WS-69 UTF-16LE", Encoding::kUtf16Le, "a\0\n\0b\0\n\0"s, 2, 6},
    {"WS-69 UTF-16BE", Encoding::kUtf16Be, "\0a\0\n\0b\0\n"s, 2, 6},
    {"WS-69 U+0A00 and U+000A in UTF-16LE", Encoding::kUtf16Le, "\0\n\n\0\0\n"s, 2, 2},
    {"WS-69 U+0A0A ends no line", Encoding::kUtf16Le, "\n\n\n\n"s, kNone, kNone},
    {"WS-69 U+010A ends no line", Encoding::kUtf16Be, "\1\n"s, kNone, kNone},
};

TEST(Encoding, FindsWhereLinesEnd) {
  for (const EndCase& c : kEnds) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(find_line_end(c.bytes, 0, c.encoding), c.first);
    EXPECT_EQ(find_last_line_end(c.bytes, c.bytes.size(), c.encoding), c.last);
  }
}

struct CutCase {
  const char* name;
  Encoding encoding;
  std::string bytes;
  std::size_t at, want;
};
const CutCase kCuts[] = {
    {"between characters", Encoding::kUtf8, "abc", 2, 2},
    {"inside one of UTF-8", Encoding::kUtf8, "a\xE2\x82\xAC", 3, 1},
    {"beyond the end", Encoding::kUtf8, "abc", 9, 3},
    {"inside a unit", Encoding::kUtf16Le, "a\0b\0"s, 3, 2},
    {"inside a pair", Encoding::kUtf16Le, "\x3D\xD8\x00\xDE"s, 2, 0},
    {"behind half a pair", Encoding::kUtf16Le,
     "\x3D\xD8"
     "a\0"s,
     2, 2},
};

TEST(Encoding, CutsNoCharacter) {
  SCOPED_TRACE("WS-74");
  for (const CutCase& c : kCuts) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(character_floor(c.bytes, c.at, c.encoding), c.want);
  }
}

struct DecodeCase {
  const char* name;
  Encoding encoding;
  std::string bytes, text;
  bool valid;
};
const DecodeCase kDecoded[] = {
    {"WS-67 UTF-8 as it is", Encoding::kUtf8, "\xE2\x82\xAC", "\xE2\x82\xAC", true},
    {"WS-67 an invalid byte", Encoding::kUtf8, "a\xE9z", "a\xEF\xBF\xBDz", false},
    {"WS-67 a pair", Encoding::kUtf16Be, "\xD8\x3D\xDE\x00"s, "\xF0\x9F\x98\x80", true},
    {"WS-67 half a pair", Encoding::kUtf16Be, "\xD8\x3D\0a"s,
     "\xEF\xBF\xBD"
     "a",
     false},
    {"WS-67 half a unit", Encoding::kUtf16Le, "a\0b"s, "a\xEF\xBF\xBD", false},
};

TEST(Encoding, ShowsEveryTextAsUtf8) {
  for (const DecodeCase& c : kDecoded) {
    SCOPED_TRACE(c.name);
    std::string out;
    EXPECT_EQ(append_decoded(out, c.bytes, c.encoding), c.valid);
    EXPECT_EQ(out, c.text);
    EXPECT_EQ(bytes_within(c.bytes, encoded_size(out), c.encoding), c.bytes.size());
    EXPECT_LT(bytes_within(c.bytes, encoded_size(out) - 1, c.encoding), c.bytes.size());
  }
}

}  // namespace
}  // namespace helve::workspace
