#include "store/detail/sqlite_errors.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>

#include "base/texts.h"

namespace helve::store {
namespace {

struct Case {
  const char* name;
  int code, system_error;
  const char* rule;
  bool ends;
};
constexpr Case kCases[] = {
    {"a full disk", SQLITE_FULL, 0, "store.full", true},
    {"a write with no space", SQLITE_IOERR_WRITE, ENOSPC, "store.full", true},
    {"a quota", SQLITE_IOERR_WRITE, EDQUOT, "store.full", true},
    {"no space for the shared memory", SQLITE_IOERR_SHMSIZE, ENOSPC, "store.full", true},
    {"no space for a new log", SQLITE_CANTOPEN, ENOSPC, "store.full", true},
    {"a failed write", SQLITE_IOERR_WRITE, EIO, "store.unavailable", true},
    {"a failed fsync", SQLITE_IOERR_FSYNC, EIO, "store.unavailable", true},
    {"a file that may only be read", SQLITE_READONLY, 0, "store.read_only", false},
    {"a folder that may only be read", SQLITE_READONLY_DIRECTORY, 0, "store.read_only", false},
    {"a log on a read-only disk", SQLITE_CANTOPEN, EROFS, "store.read_only", true},
    {"a file that is not ours", SQLITE_CANTOPEN, EACCES, "store.read_only", true},
    {"a write on a disk that became read-only", SQLITE_IOERR_WRITE, EROFS, "store.read_only", true},
    {"a file that was moved away", SQLITE_READONLY_DBMOVED, 0, "store.unavailable", true},
    {"no such folder", SQLITE_CANTOPEN, ENOENT, "store.unavailable", true},
    {"too many open files", SQLITE_CANTOPEN, EMFILE, "store.unavailable", true},
    {"a broken page", SQLITE_CORRUPT, 0, "store.damaged", true},
    {"a broken index of words", SQLITE_CORRUPT_VTAB, 0, "store.damaged", true},
    {"another kind of file", SQLITE_NOTADB, 0, "store.damaged", true},
    {"a checksum of the file system", SQLITE_IOERR_CORRUPTFS, EIO, "store.damaged", true},
    {"somebody else writes", SQLITE_BUSY, ENOSPC, "store.unavailable", false},
    {"a snapshot that is gone", SQLITE_BUSY_SNAPSHOT, 0, "store.unavailable", false},
    {"no memory", SQLITE_NOMEM, 0, "store.unavailable", false},
    {"an interrupt", SQLITE_INTERRUPT, 0, "store.unavailable", false},
    {"a constraint", SQLITE_CONSTRAINT_UNIQUE, EACCES, "store.unavailable", false},
};

TEST(SqliteErrors, EachHasItsRule) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const SqliteFault fault{.code = c.code, .system_error = c.system_error, .message = "it {is}"};
    EXPECT_STREQ(rule_of(fault), c.rule);
    const Refusal refusal = refusal_of(fault);
    EXPECT_EQ(refusal.rule, c.rule);
    EXPECT_TRUE(render(refusal).message.contains("it {is}"));
    EXPECT_EQ(render(refusal).next.find('{'), std::string::npos);
    EXPECT_EQ(ends_connection(c.code), c.ends);
  }
}

TEST(SqliteErrors, TheSystemsReasonIsGivenWhereThereIsOne) {
  EXPECT_TRUE(render(refusal_of({SQLITE_IOERR_WRITE, ENOSPC, "disk I/O error"}))
                  .message.contains("disk I/O error: No space left"));
  EXPECT_FALSE(render(refusal_of({SQLITE_BUSY, ENOSPC, "busy"})).message.contains("No space"));
}

}  // namespace
}  // namespace helve::store
