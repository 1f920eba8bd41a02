// host/tokens.h
//
// The token that HTTP clients of one root must send: HELVE_TOKEN, else the file `token` in the
// state folder, which is made at the first start and which nobody else may read. A Token prints as
// ***. Blocking; any thread.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "host/surroundings.h"

namespace helve::host {

inline constexpr size_t kLeastTokenBytes = 16;

class Token {
 public:
  explicit Token(std::string text);

  // Takes as long for every text of one length, whatever it holds.
  bool matches(std::string_view offered) const;

  const std::string& reveal() const { return text_; }  // for --print-config alone

  friend std::ostream& operator<<(std::ostream& out, const Token&) { return out << "***"; }

 private:
  std::string text_;
  std::string digest_;
};

std::filesystem::path token_file(const std::filesystem::path& state);

// The token that holds; makes the file and the folder if there is none.
// Refused: token.too_short {where, least}, token.malformed {where}, token.exposed {file}, and as
// os/files.h.
Result<Token> token_of(const std::filesystem::path& state, const Surroundings& around);

}  // namespace helve::host
