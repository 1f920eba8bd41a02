// store/detail/postgres_session.h
//
// What one thread of the pool does: transactions on a connection of its own, which it makes when it
// needs one. A transaction is run again where that is safe and helps; one whose COMMIT went
// unanswered never is. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/detail/postgres_connection.h"
#include "store/detail/stop_signal.h"

namespace helve::store {

// What the threads of one database have in common; not changed once a thread runs.
struct PostgresShared {
  std::string at;
  std::vector<Schema> schemas;
  std::string tag;  // of this program's notifications
  std::function<Result<void>()>
      before_use;  // before the first transaction of a connection; may be empty
  StopSignal stop;
};

class PostgresSession {
 public:
  explicit PostgresSession(const PostgresShared& shared) : shared_(shared) {}

  // Refused as `work` does, or store.unavailable and its like. Where it is not known whether the
  // change was made, the details are {"unknown": true}.
  Result<void> transact(const Database::Work& work, bool writes);

  bool is_open() const { return connection_ != nullptr; }
  void close() { connection_.reset(); }
  // The last transaction was refused because the server could not be reached.
  bool unreachable() const { return unreachable_; }

 private:
  Result<void> open();
  Result<void> once(const Database::Work& work, bool writes);
  Result<void> commit(bool writes);
  bool may_help_to_repeat(Trouble trouble, int attempt);

  const PostgresShared& shared_;
  std::unique_ptr<PostgresConnection> connection_;
  bool unreachable_ = false;
  bool unknown_ = false;      // the COMMIT was sent, and nothing came back
  bool reconnected_ = false;  // in this transact()
};

}  // namespace helve::store
