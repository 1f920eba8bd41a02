// workspace/spills.h
//
// Full texts of answers that were cut, as files that the agent can read:
// <workspace>/.helve/results/NAME.txt, with quotas (WS-25 to WS-27). They outlive the process until
// they are too old; what went by age or quota is remembered beside them. Nothing is written through
// a link. Blocking; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::workspace {

class Spills {
 public:
  struct Limits {
    std::uint64_t file_bytes = 64ULL << 20, session_bytes = 256ULL << 20;
    std::size_t session_files = 1000;
    std::chrono::hours age{24 * 7};
  };
  explicit Spills(std::filesystem::path workspace);
  Spills(std::filesystem::path workspace, const Limits& limits);
  ~Spills();
  Spills(const Spills&) = delete;
  Spills& operator=(const Spills&) = delete;

  // Writes the text under this name (same name: same file) and gives the path relative to the
  // workspace, once it can be opened again. A name that is not 1 to 64 of A-Z, a-z, 0-9, _ and -
  // is its SHA-256 in base32 there. `session` owns it for the quota: its oldest ones go first. A
  // larger text than file_bytes is kept as head and tail with the gap stated. Refused:
  // os::errno_refusal's.
  Result<std::string> keep(const std::string& session, std::string_view name,
                           std::string_view text);

  // The same of a text that comes in pieces, such as a log that memory does not hold.
  class Draft {
   public:
    Draft(Draft&&) noexcept;
    Draft& operator=(Draft&&) noexcept;
    ~Draft();  // nothing is kept of one that was not finished
    // `missing` bytes that are gone for good come before it, and are stated. What is beyond
    // file_bytes is left out, and stated at the end.
    void add(std::uint64_t missing, std::string_view text);
    Result<std::string> finish();

   private:
    friend class Spills;
    struct State;
    explicit Draft(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Result<Draft> begin(const std::string& session, std::string_view name);

  // True if this relative path is a spill that was here once and went by age or quota: a read of it
  // is then spill.expired {path}.
  bool was_here(const std::filesystem::path& relative) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace helve::workspace
