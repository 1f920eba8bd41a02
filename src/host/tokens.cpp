#include "host/tokens.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/hash.h"
#include "base/ids.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/files.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "HELVE_TOKEN";
constexpr size_t kMostBytes = 4096;
constexpr size_t kRandomBytes = 32;

// What a header can carry as one word.
bool is_word(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
}

Result<Token> checked(std::string_view text, const std::string& where) {
  if (text.size() < kLeastTokenBytes) {
    return refuse("token.too_short",
                  {{"where", where}, {"least", std::to_string(kLeastTokenBytes)}});
  }
  if (!is_word(text)) return refuse("token.malformed", {{"where", where}});
  return Token(std::string(text));
}

bool is_there(const fs::path& file) {
  struct stat facts{};
  return ::lstat(file.c_str(), &facts) == 0;
}

std::unexpected<Refusal> unreadable(const fs::path& file, int error) {
  return refuse("file.unreadable", {{"file", file.string()}, {"reason", os::errno_text(error)}});
}

// Judged and read through one descriptor, so that both are about the same file.
Result<Token> read_token(const fs::path& file) {
  const os::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts{};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return unreadable(file, errno);
  if (!S_ISREG(facts.st_mode)) return refuse("file.not_regular", {{"file", file.string()}});
  const bool ours = facts.st_uid == ::geteuid() && (facts.st_mode & 077U) == 0;
  if (!ours) return refuse("token.exposed", {{"file", file.string()}});
  std::string text(kMostBytes, '\0');
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  if (got < 0) return unreadable(file, errno);
  text.resize(static_cast<size_t>(got));
  return checked(trim(text), file.string());
}

// Two servers may start at once: the first one's file stays, and the other takes it over.
Result<Token> make_token(const fs::path& file) {
  if (const auto made = os::make_private_folder(file.parent_path()); !made) {
    return std::unexpected(made.error());
  }
  const fs::path temporary = file.parent_path() / ("token." + random_hex(6));
  const std::string text = "hlv_" + random_hex(kRandomBytes);
  if (const auto wrote = os::write_atomic(temporary, text + '\n', 0600); !wrote) {
    return std::unexpected(wrote.error());
  }
  const int error = ::link(temporary.c_str(), file.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (error == 0) return Token(text);
  if (error == EEXIST) return read_token(file);
  return refuse("file.unwritable", {{"file", file.string()}, {"reason", os::errno_text(error)}});
}

}  // namespace

Token::Token(std::string text) : text_(std::move(text)), digest_(sha256_hex(text_)) {}

bool Token::matches(std::string_view offered) const {
  const std::string digest = sha256_hex(offered);
  unsigned difference = 0;
  for (size_t i = 0; i < digest_.size(); ++i) {
    difference |= static_cast<unsigned char>(digest[i] ^ digest_[i]);
  }
  return difference == 0;
}

fs::path token_file(const fs::path& state) { return state / "token"; }

Result<Token> token_of(const fs::path& state, const Surroundings& around) {
  const auto variable = around.variables.find(kVariable);
  if (variable != around.variables.end()) return checked(variable->second, kVariable);
  const fs::path file = token_file(state);
  return is_there(file) ? read_token(file) : make_token(file);
}

}  // namespace helve::host
