// store/detail/sqlite_errors.h
//
// What an error of SQLite means to who asked. Pure; any thread.
#pragma once

#include <string>

#include "base/refusal.h"

namespace helve::store {

struct SqliteFault {
  int code = 0;          // the extended one
  int system_error = 0;  // errno, where the code is SQLITE_IOERR or SQLITE_CANTOPEN
  std::string message;   // SQLite's own
};

// store.full, store.read_only, store.damaged, else store.unavailable; with {reason}.
const char* rule_of(const SqliteFault& fault);
Refusal refusal_of(const SqliteFault& fault);

bool is_damage(int code);

// The connection may hold what is not so any more: after a failed write or fsync, or when the file
// is not the one that was opened.
bool ends_connection(int code);

}  // namespace helve::store
