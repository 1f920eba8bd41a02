#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace helve {
namespace {

struct Pair {
  std::string_view bytes, plain, url;
};

const Pair kPairs[] = {
    // RFC 4648, section 10
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"\xFB\xFF", "+/8=", "-_8"},
    {std::string_view("\0\0", 2), "AAA=", "AAA"},
};

TEST(Base64, WritesAndReadsBothAlphabets) {
  for (const Pair& p : kPairs) {
    SCOPED_TRACE(p.plain);
    EXPECT_EQ(encode_base64(p.bytes), p.plain);
    EXPECT_EQ(encode_base64url(p.bytes), p.url);
    EXPECT_EQ(decode_base64(p.plain), p.bytes);
    EXPECT_EQ(decode_base64url(p.url), p.bytes);
  }
}

struct Case {
  const char* name;
  std::string_view text;
};

const Case kNotPlain[] = {
    {"no padding", "Zg"},
    {"too little padding", "Zg="},
    {"too much padding", "Zm8=="},
    {"padding behind a full group", "Zm9v===="},
    {"padding alone", "===="},
    {"padding inside", "Zg==Zg=="},
    {"one digit", "Z"},
    {"one digit and padding", "Z==="},
    {"bits left over behind one byte", "Zh=="},
    {"bits left over behind two bytes", "Zm9="},
    {"a blank", "Zm9 "},
    {"a line end", "Zm9v\n"},
    {"the other alphabet", "-_8="},
    {"a byte beyond ASCII", "Zm9\xFF"},
    {"a NUL", std::string_view("Zm9\0", 4)},
};

TEST(Base64, RefusesAllButTheOneSpelling) {
  for (const Case& c : kNotPlain) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_base64(c.text), std::nullopt);
  }
}

const Case kNotUrl[] = {
    {"padding", "Zg=="},
    {"one digit", "Z"},
    {"one digit too many", "Zm9vY"},
    {"a blank", "Zm9 "},
    {"the other alphabet", "+/8"},
    {"bits left over", "Zh"},
};

TEST(Base64, RefusesAllButTheOneSpellingForUrls) {
  for (const Case& c : kNotUrl) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_base64url(c.text), std::nullopt);
  }
}

TEST(Base64, ReadsBackWhatItWrote) {
  for (size_t size = 0; size < 100; ++size) {
    const std::string bytes = random_bytes(size);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
    EXPECT_EQ(decode_base64url(encode_base64url(bytes)), bytes);
  }
}

}  // namespace
}  // namespace helve
