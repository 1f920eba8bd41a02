#include "notes/note.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ids.h"

namespace helve::notes {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";  // no i, l, o, u
constexpr std::size_t kIdDigits = 10;
static_assert(kDigits.size() == 32);

constexpr std::array<std::string_view, 5> kOps = {"write", "replace", "delete", "restore",
                                                  "import"};

bool is_id(std::string_view text) {
  return text.size() == kIdDigits + 1 && text.front() == 'n' &&
         text.find_first_not_of(kDigits, 1) == std::string_view::npos;
}

std::optional<std::int64_t> read_revision(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || number < 1 || text.front() == '0') return std::nullopt;
  return number;
}

}  // namespace

std::string_view name_of(Op op) { return kOps[static_cast<std::size_t>(op)]; }

std::optional<Op> op_of(std::string_view name) {
  const auto* const found = std::ranges::find(kOps, name);
  if (found == kOps.end()) return std::nullopt;
  return static_cast<Op>(found - kOps.begin());
}

std::string new_id() {
  std::string id = "n";
  for (const char byte : random_bytes(kIdDigits)) {
    id += kDigits[static_cast<unsigned char>(byte) % kDigits.size()];
  }
  return id;
}

std::optional<Ref> parse_ref(std::string_view text) {
  const std::size_t at = text.find('@');
  Ref ref{.id = std::string(text.substr(0, at))};
  if (!is_id(ref.id)) return std::nullopt;
  if (at == std::string_view::npos) return ref;
  ref.revision = read_revision(text.substr(at + 1));
  if (!ref.revision) return std::nullopt;
  return ref;
}

}  // namespace helve::notes
