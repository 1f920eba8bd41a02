// notes/note.h
//
// What a note is, and what each change of it records. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::notes {

// Where a change came from; filled in by the host alone (NT-5). What is not known is absent.
struct Origin {
  std::string session;  // "window"
  std::string by;       // who: the principal, or the user of the command line
  std::string call_id;  // with the session unique: a repeat gets the first answer (NT-17); "": none
  std::optional<std::int64_t> event;                    // the call's number in its session
  std::optional<std::int64_t> range_first, range_last;  // events that the model had in view
  JsonArray evidence;                                   // {event, kind, hash}, at most 32
};

enum class Op : std::uint8_t { kWrite, kReplace, kDelete, kRestore, kImport };
std::string_view name_of(Op op);  // "write", "replace", ...
std::optional<Op> op_of(std::string_view name);

struct Stamp {
  std::int64_t at_ms = 0;  // since 1970, of the store's clock; orders nothing (NT-47)
  std::string by, session;
};

struct Note {
  std::string id;  // 'n' and 10 base32 characters
  std::int64_t revision = 0;
  std::string title, summary, body;
  bool deleted = false;
  Stamp created, updated;
  std::string hash;                 // of title, summary and body
  std::optional<std::size_t> size;  // bytes of the body, where the body itself was not asked for
  std::vector<std::string> tags, links;  // of the body, as marks_of() has them (markdown.h)

  std::string ref() const { return id + '@' + std::to_string(revision); }
};

// One row of a note's history, oldest first; without its text.
struct Revision {
  std::int64_t revision = 0, base = 0;
  Op op = Op::kWrite;
  std::string title, hash;
  std::size_t bytes = 0;
  std::int64_t at_ms = 0;
  Origin origin;
};

// 50 random bits; who stores it has to see that it is not taken yet (NT-3).
std::string new_id();

// "n0123456789@4" or an id alone; none for anything else.
struct Ref {
  std::string id;
  std::optional<std::int64_t> revision;
};
std::optional<Ref> parse_ref(std::string_view text);

}  // namespace helve::notes
