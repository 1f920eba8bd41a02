// store/detail/sqlite.h
//
// The SQLite side of store/database.h: one thread of its own that writes, up to two that read, all
// of them begun at the first use. The writes that wait share one commit; commits and checkpoints of
// all processes take turns by a lock file beside the database. Loop thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "store/database.h"

namespace helve::store {

// On NFS, SMB, FUSE and their like WAL cannot work, and locks are what the server makes of them.
bool is_remote(const std::string& folder);

// As it is used; a test sets other values.
struct SqliteOptions {
  std::string vfs;                                             // "": the system's
  std::function<bool(const std::string&)> remote = is_remote;  // of the database's folder
  Duration patience = std::chrono::seconds(5);                 // of a write, until it is its turn
  Duration idle = std::chrono::seconds(30);  // then the log goes into the database
  int checkpoint_pages = 1000;
};

// Opens nothing yet.
std::shared_ptr<Database> open_sqlite(os::Loop& loop, Settings settings,
                                      SqliteOptions options = {});

}  // namespace helve::store
