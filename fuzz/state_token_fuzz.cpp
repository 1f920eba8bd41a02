// A requestState as a client may send it back: only what was sealed opens, for its own request
// alone, and with the payload that was put in. The input is a text to open, and a payload to seal.
#include "base/base64.h"
#include "base/check.h"
#include "mcp/state_seal.h"

namespace {

using namespace helve;

const WallClock::time_point kNow{std::chrono::hours(500'000)};

std::string rule_of(const Result<mcp::OpenedState>& opened) {
  return opened ? "opened" : opened.error().rule;
}

// The input picks which bit of the sealed bytes changes.
void check_changed(mcp::StateSeal& seal, const std::string& text, const mcp::StateBinding& binding,
                   std::string_view input) {
  std::string bytes = decode_base64url(text).value();
  size_t at = input.size();
  for (const char c : input) at = at * 31 + static_cast<unsigned char>(c);
  char& changed = bytes[at / 8 % bytes.size()];
  changed = static_cast<char>(static_cast<unsigned char>(changed) ^ 1U << at % 8);
  HELVE_CHECK(rule_of(seal.open(encode_base64url(bytes), binding, kNow)) == "state.forged");
}

void check_sealed(mcp::StateSeal& seal, const JsonObject& payload, std::string_view input) {
  const mcp::StateBinding binding = {"session", "tools/call", "tool", payload};
  const auto text = seal.seal(binding, payload, kNow);
  if (!text) {
    HELVE_CHECK(input.size() > mcp::kMaxStateBytes / 8);
    return;
  }
  HELVE_CHECK(*text != seal.seal(binding, payload, kNow).value());
  check_changed(seal, *text, binding, input);
  mcp::StateBinding other = binding;
  other.name += 's';
  HELVE_CHECK(rule_of(seal.open(*text, other, kNow)) == "state.forged");
  const auto opened = seal.open(*text, binding, kNow);
  HELVE_CHECK(opened);
  // As text: 2.0 comes back as 2.
  HELVE_CHECK(write_json(opened->payload) == write_json(payload));
  HELVE_CHECK(rule_of(seal.open(*text, binding, kNow)) == "state.used");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  mcp::StateSeal seal(std::string(mcp::kStateKeyBytes, 'k'));
  const mcp::StateBinding binding = {"session", "tools/call", "tool", nullptr};
  const std::string encoded = encode_base64url(input);
  HELVE_CHECK(decode_base64url(encoded) == input);
  for (const std::string_view text : {input, std::string_view(encoded)}) {
    HELVE_CHECK(rule_of(seal.open(text, binding, kNow)) == "state.forged");
  }
  if (const auto json = parse_json(input); json && json->is_object()) {
    check_sealed(seal, json->get_object(), input);
  }
  return 0;
}
