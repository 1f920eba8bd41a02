#include "base/hash.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

struct Case {
  const char* name;
  std::string key, bytes, digest;
};

// RFC 4231; the fifth case there is about cut digests, which we do not have.
const Case kCases[] = {
    {"1", std::string(20, '\x0b'), "Hi There",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {"2, a short key", "Jefe", "what do ya want for nothing?",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"3", std::string(20, '\xaa'), std::string(50, '\xdd'),
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {"6, a key longer than a block", std::string(131, '\xaa'),
     "Test Using Larger Than Block-Size Key - Hash Key First",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {"7, key and text longer than a block", std::string(131, '\xaa'),
     "This is a test using a larger than block-size key and a larger than block-size data. The key "
     "needs to be hashed before being used by the HMAC algorithm.",
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

TEST(Hash, SignsAsRfc4231) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(hex(hmac_sha256(c.key, c.bytes)), c.digest);
  }
}

TEST(Hash, DigestsAsFips180) {
  const char* const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(sha256_hex("abc"), digest);
  EXPECT_EQ(hex(sha256("abc")), digest);
}

TEST(Hash, DigestsPiecesAsTheWhole) {
  Sha256 digest;
  for (const char* piece : {"a", "", "bc"}) digest.update(piece);
  EXPECT_EQ(digest.finish(), sha256("abc"));
}

TEST(Hash, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
  EXPECT_FALSE(equal_in_constant_time("", "s"));
}

}  // namespace
}  // namespace helve
