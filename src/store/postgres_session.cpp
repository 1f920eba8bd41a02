#include "store/detail/postgres_session.h"

#include <random>

#include "base/check.h"
#include "base/json.h"
#include "base/texts.h"
#include "store/detail/postgres_schema.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

constexpr int kRepeats = 5;

// Longer from time to time, and each one differently, so that those who collided part.
Duration pause_before(int attempt) {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<int> milliseconds(1, 4 << attempt);
  return std::chrono::milliseconds(milliseconds(random));
}

}  // namespace

Result<void> PostgresSession::transact(const Database::Work& work, bool writes) {
  reconnected_ = false;
  for (int attempt = 0;; ++attempt) {
    if (auto opened = open(); !opened) return opened;
    unknown_ = false;
    Result<void> done = once(work, writes);
    const Trouble trouble = connection_->trouble();
    if (!connection_->usable()) connection_.reset();
    if (done || !may_help_to_repeat(trouble, attempt)) return done;
  }
}

bool PostgresSession::may_help_to_repeat(Trouble trouble, int attempt) {
  if (unknown_) return false;
  if (trouble == Trouble::kBroken) return !std::exchange(reconnected_, true);
  if (trouble != Trouble::kAgain || attempt >= kRepeats) return false;
  return shared_.stop.wait(-1, 0, Clock::now() + pause_before(attempt)) == Woken::kLate;
}

Result<void> PostgresSession::open() {
  unreachable_ = false;
  if (connection_) return {};
  Result<std::unique_ptr<PostgresConnection>> made =
      PostgresConnection::connect(shared_.at, shared_.stop);
  unreachable_ = !made;
  if (!made) return std::unexpected(made.error());
  if (auto done = bring_up_to_date(**made, shared_.schemas); !done) return done;
  if (shared_.before_use) {
    if (auto done = shared_.before_use(); !done) return done;
  }
  connection_ = *std::move(made);
  return {};
}

Result<void> PostgresSession::once(const Database::Work& work, bool writes) {
  connection_->forget();
  const auto begun =
      connection_->script(writes ? "BEGIN ISOLATION LEVEL READ COMMITTED"
                                 : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  if (!begun) return std::unexpected(begun.error());
  Result<void> worked = work(*connection_);
  // The server has undone it all by then, whatever the work made of that.
  const bool undone = connection_->trouble() != Trouble::kNone;
  if (worked && undone) worked = std::unexpected(connection_->refusal());
  if (worked) worked = commit(writes);
  if (!worked) connection_->roll_back();
  return worked;
}

Result<void> PostgresSession::commit(bool writes) {
  const bool tell = writes && connection_->changed();
  const auto done =
      connection_->script(tell ? "NOTIFY helve_changes, '" + shared_.tag + "'; COMMIT" : "COMMIT");
  HELVE_CHECK(!done || *done == "COMMIT");
  if (done || !writes) return {};
  // An error that leaves the connection alive is the server's word that nothing was changed.
  if (connection_->usable()) return std::unexpected(done.error());
  unknown_ = true;
  return unavailable(text("store.unknown"), "store.next.look", {{"unknown", true}});
}

}  // namespace helve::store
