// Issue 3, "forged and replayed request state, expired state, wrong session"; spec 1.2: the state
// is integrity protected, bound to principal, request and a short time.
#include "mcp/state_seal.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/hash.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

const WallClock::time_point kNow = WallClock::time_point(1'800'000'000'123ms);
const JsonObject kPayload = {{"ask", "ask_1"}, {"round", 2}};

Json parse(std::string_view json) { return parse_json(json).value(); }

StateBinding call(std::string_view arguments = R"({"path":"a","n":[1,{"x":1,"y":2}]})") {
  return {"session_1", "tools/call", "deploy", parse(arguments)};
}

std::string rule_of(const Result<OpenedState>& opened) {
  return opened ? "opened" : opened.error().rule;
}

struct Fixture : testing::Test {
  StateSeal seal{new_state_key()};

  std::string sealed(StateTerms terms = {}) {
    return seal.seal(call(), kPayload, kNow, terms).value();
  }
  std::string opens(std::string_view text, const StateBinding& binding = call(),
                    WallClock::time_point now = kNow) {
    return rule_of(seal.open(text, binding, now));
  }
};
using StateSealed = Fixture;

TEST_F(StateSealed, OpensWithWhatWasPutIn) {
  const auto opened = seal.open(sealed(), call(), kNow + 1min);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->payload, kPayload);
  EXPECT_EQ(opened->issued, kNow);
}

TEST_F(StateSealed, IsNeverTheSameTwice) { EXPECT_NE(sealed(), sealed()); }

struct BindingCase {
  const char* name;
  StateBinding binding;
  const char* outcome;
};

const BindingCase kBindings[] = {
    {"the same request", call(), "opened"},
    {"members in another order", call(R"({"n":[1,{"y":2,"x":1}],"path":"a"})"), "opened"},
    {"a number spelt differently", call(R"({"path":"a","n":[1.0,{"x":1e0,"y":2}]})"), "opened"},
    {"another session", {"session_2", "tools/call", "deploy", call().arguments}, "state.forged"},
    {"no session", {"", "tools/call", "deploy", call().arguments}, "state.forged"},
    {"another method", {"session_1", "prompts/get", "deploy", call().arguments}, "state.forged"},
    {"another tool", {"session_1", "tools/call", "destroy", call().arguments}, "state.forged"},
    {"the same letters cut elsewhere",
     {"session_1t", "ools/call", "deploy", call().arguments},
     "state.forged"},
    {"another argument", call(R"({"path":"b","n":[1,{"x":1,"y":2}]})"), "state.forged"},
    {"an argument more", call(R"({"path":"a","n":[1,{"x":1,"y":2}],"z":0})"), "state.forged"},
    {"an argument less", call(R"({"path":"a"})"), "state.forged"},
    {"items in another order", call(R"({"path":"a","n":[{"x":1,"y":2},1]})"), "state.forged"},
    {"a number as text", call(R"({"path":"a","n":["1",{"x":1,"y":2}]})"), "state.forged"},
    {"no arguments", call("{}"), "state.forged"},
};

TEST_F(StateSealed, OpensForTheSameRequestOfTheSameCallerOnly) {
  for (const BindingCase& c : kBindings) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(opens(sealed(), c.binding), c.outcome);
  }
}

TEST_F(StateSealed, IsForgedAfterAChangeOfAnySingleCharacter) {
  const std::string text = sealed();
  constexpr std::string_view kOthers = "AZaz09-_=+/. \n";
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char other : kOthers) {
      if (text[at] == other) continue;
      std::string changed = text;
      changed[at] = other;
      ASSERT_EQ(opens(changed), "state.forged") << at << " is " << other;
    }
  }
  EXPECT_EQ(opens(text), "opened");
}

TEST_F(StateSealed, IsForgedAfterAChangeOfAnySingleBit) {
  const std::string bytes = decode_base64url(sealed()).value();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(changed[bit / 8]) ^ 1U << bit % 8);
    ASSERT_EQ(opens(encode_base64url(changed)), "state.forged") << bit;
  }
}

TEST_F(StateSealed, IsForgedWhenCutOrGrown) {
  const std::string text = sealed();
  for (size_t size = 0; size < text.size(); ++size) {
    ASSERT_EQ(opens(text.substr(0, size)), "state.forged") << size;
    ASSERT_EQ(opens(text.substr(text.size() - size)), "state.forged") << size;
  }
  EXPECT_EQ(opens(text + "A"), "state.forged");
  EXPECT_EQ(opens(text + "AAAA"), "state.forged");
  EXPECT_EQ(opens(text + text), "state.forged");
  EXPECT_EQ(opens(std::string(kMaxStateBytes + 4, 'A')), "state.forged");
}

TEST_F(StateSealed, IsForgedWhenPartsOfTwoAreSwapped) {
  const std::string one = decode_base64url(sealed()).value();
  const std::string two = decode_base64url(sealed({.life = 1h})).value();
  for (size_t at = 1; at < one.size(); ++at) {
    const std::string mixed = one.substr(0, at) + two.substr(at);
    if (mixed == one || mixed == two) continue;
    ASSERT_EQ(opens(encode_base64url(mixed)), "state.forged") << at;
  }
}

TEST_F(StateSealed, IsForgedUnderAnotherKey) {
  StateSeal other{new_state_key()};
  EXPECT_EQ(rule_of(other.open(sealed(), call(), kNow)), "state.forged");
}

TEST_F(StateSealed, IsForgedWhenSignedWithoutItsPurpose) {
  const std::string key(kStateKeyBytes, 'k');
  StateSeal mine{key};
  const std::string bytes = decode_base64url(mine.seal(call(), kPayload, kNow).value()).value();
  const std::string body = bytes.substr(0, bytes.size() - kDigestBytes);
  const std::string text = encode_base64url(body + hmac_sha256(key, body));
  EXPECT_EQ(rule_of(mine.open(text, call(), kNow)), "state.forged");
}

TEST_F(StateSealed, LivesTenMinutesUnlessToldOtherwise) {
  EXPECT_EQ(opens(sealed(), call(), kNow + 10min - 1ms), "opened");
  EXPECT_EQ(opens(sealed(), call(), kNow + 10min), "state.expired");
  EXPECT_EQ(opens(sealed({.life = 5s}), call(), kNow + 5s - 1ms), "opened");
  EXPECT_EQ(opens(sealed({.life = 5s}), call(), kNow + 5s), "state.expired");
  EXPECT_EQ(opens(sealed(), {"session_2", "tools/call", "deploy", nullptr}, kNow + 1h),
            "state.forged")
      << "to strangers, an expired one is no different";
}

TEST_F(StateSealed, OpensOnce) {
  const std::string text = sealed();
  EXPECT_EQ(opens(text, call("{}")), "state.forged");
  EXPECT_EQ(opens(text), "opened") << "a wrong attempt does not use it up";
  EXPECT_EQ(opens(text), "state.used");
  EXPECT_EQ(opens(text, call(), kNow + 11min), "state.expired");
}

TEST_F(StateSealed, OpensAgainIfItIsRepeatable) {
  const std::string text = sealed({.repeatable = true});
  EXPECT_EQ(opens(text), "opened");
  EXPECT_EQ(opens(text), "opened");
  EXPECT_EQ(opens(text, call(), kNow + 10min), "state.expired");
  EXPECT_EQ(seal.remembered(), 0U);
}

TEST_F(StateSealed, IsRememberedUntilItExpires) {
  EXPECT_EQ(opens(sealed({.life = 1min})), "opened");
  EXPECT_EQ(opens(sealed({.life = 2min})), "opened");
  EXPECT_EQ(seal.remembered(), 2U);
  EXPECT_EQ(opens(sealed(), call(), kNow + 1min), "opened");
  EXPECT_EQ(seal.remembered(), 2U) << "the first is gone, the last has come";
}

TEST_F(StateSealed, IsForgottenFirstIfItExpiresFirstAndThereAreTooMany) {
  const std::string first = sealed({.life = 1min});
  const std::string last = sealed({.life = 3min});
  EXPECT_EQ(opens(first), "opened");
  EXPECT_EQ(opens(last), "opened");
  for (size_t i = 2; i < kMaxUsedStates; ++i) ASSERT_EQ(opens(sealed({.life = 2min})), "opened");
  EXPECT_EQ(opens(first), "state.used");
  EXPECT_EQ(opens(sealed({.life = 2min})), "opened");
  EXPECT_EQ(seal.remembered(), kMaxUsedStates);
  EXPECT_EQ(opens(last), "state.used");
  EXPECT_EQ(opens(first), "opened") << "forgotten to stay within bounds";
}

TEST_F(StateSealed, IsRefusedIfItWouldBeTooLargeToOpen) {
  const JsonObject large = {{"x", std::string(kMaxStateBytes, 'x')}};
  const auto text = seal.seal(call(), large, kNow);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().rule, "state.too_large");
  const JsonObject fits = {{"x", std::string(kMaxStateBytes / 4 * 3 - 100, 'x')}};
  EXPECT_EQ(opens(seal.seal(call(), fits, kNow).value()), "opened");
}

}  // namespace
}  // namespace helve::mcp
