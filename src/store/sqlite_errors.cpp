#include <sqlite3.h>

#include <cerrno>

#include "base/text.h"
#include "os/files.h"
#include "store/detail/refusals.h"
#include "store/detail/sqlite_errors.h"

namespace helve::store {
namespace {

int primary(int code) { return code & 0xFF; }

bool tells_errno(int code) {
  return primary(code) == SQLITE_IOERR || primary(code) == SQLITE_CANTOPEN;
}

bool is_full(const SqliteFault& fault) {
  if (primary(fault.code) == SQLITE_FULL) return true;
  return tells_errno(fault.code) && (fault.system_error == ENOSPC || fault.system_error == EDQUOT);
}

bool is_read_only(const SqliteFault& fault) {
  const int code = primary(fault.code);
  if (code == SQLITE_READONLY) return fault.code != SQLITE_READONLY_DBMOVED;
  if (code == SQLITE_PERM) return true;
  if (fault.system_error == EROFS) return tells_errno(fault.code);
  return code == SQLITE_CANTOPEN && (fault.system_error == EACCES || fault.system_error == EPERM);
}

}  // namespace

const char* rule_of(const SqliteFault& fault) {
  if (is_damage(fault.code)) return "store.damaged";
  if (is_full(fault)) return "store.full";
  return is_read_only(fault) ? "store.read_only" : "store.unavailable";
}

Refusal refusal_of(const SqliteFault& fault) {
  std::string reason = flatten_controls(to_utf8(fault.message));
  if (tells_errno(fault.code) && fault.system_error != 0) {
    reason += ": " + os::errno_text(fault.system_error);
  }
  const std::string rule = rule_of(fault);
  if (rule == "store.unavailable") return unavailable(std::move(reason)).error();
  return Refusal{rule, {{"reason", std::move(reason)}}};
}

bool is_damage(int code) {
  return primary(code) == SQLITE_CORRUPT || primary(code) == SQLITE_NOTADB ||
         code == SQLITE_IOERR_CORRUPTFS;
}

bool ends_connection(int code) {
  const int kind = primary(code);
  return kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN || kind == SQLITE_FULL ||
         code == SQLITE_READONLY_DBMOVED || is_damage(code);
}

}  // namespace helve::store
