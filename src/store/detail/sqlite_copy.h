// store/detail/sqlite_copy.h
//
// A copy of a database that is in use, by SQLite's own means: as of one moment, and whole.
// Blocking; on the connection's thread.
#pragma once

#include <string>

#include "store/detail/sqlite_connection.h"

namespace helve::store {

// Durable when it returns; mode 0600. Refused: store.backup_exists {file}, store.backup_failed
// {file, reason}; then nothing is left behind.
Result<void> copy_database(SqliteConnection& from, const std::string& file, const std::string& vfs);

}  // namespace helve::store
