#include "store/detail/sqlite_writer.h"

#include <algorithm>
#include <utility>

#include "base/texts.h"
#include "store/detail/refusals.h"
#include "store/detail/threads.h"

namespace helve::store {
namespace {

constexpr std::size_t kMostInOneCommit = 16;
// Those that were answered together mostly come again together: waiting for them for a moment,
// which is short beside an fsync, keeps them together.
constexpr Duration kGather = std::chrono::microseconds(200);
constexpr Duration kPatienceAtTheEnd = std::chrono::milliseconds(200);

}  // namespace

SqliteWriter::SqliteWriter(std::shared_ptr<SqliteFile> file, std::function<void()> committed)
    : file_(std::move(file)),
      committed_(std::move(committed)),
      next_checkpoint_(file_->options().checkpoint_pages) {}

void SqliteWriter::push(Database::Work work, Done done) {
  std::unique_lock hold(mutex_);
  if (closed_) {
    hold.unlock();
    return done(unavailable(helve::text("store.closing")));
  }
  queue_.push_back(
      {std::move(work), std::move(done), Clock::now() + file_->options().patience, {}});
  if (!thread_.joinable()) {
    thread_ = quiet_thread([this](const std::stop_token& stop) { run(stop); });
  }
  pushed_.notify_one();
}

void SqliteWriter::close() {
  {
    const std::lock_guard hold(mutex_);
    closed_ = true;
  }
  thread_ = {};  // asks it to stop, and joins
}

void SqliteWriter::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (wait(stop)) {
      serve(stop);
    } else if (!stop.stop_requested()) {
      rest(stop);
    }
  }
  finish();
}

// False: there was nothing to do for so long that it is time to rest.
bool SqliteWriter::wait(const std::stop_token& stop) {
  std::unique_lock hold(mutex_);
  const auto any = [this] { return !queue_.empty(); };
  if (last_batch_ > 1) {
    pushed_.wait_for(hold, stop, kGather, [this] { return queue_.size() >= last_batch_; });
  }
  if (rested_) return pushed_.wait(hold, stop, any);
  return pushed_.wait_for(hold, stop, file_->options().idle, any);
}

void SqliteWriter::serve(const std::stop_token& stop) {
  Clock::time_point latest;
  {
    const std::lock_guard hold(mutex_);
    latest = queue_.front().latest;
  }
  if (auto ready = file_->prepare(latest, stop); !ready) return refuse_first(ready.error());
  if (auto may = file_->writable(); !may) return refuse_first(may.error());
  if (Clock::now() >= latest || !file_->lock().take_turn(latest, stop)) {
    return refuse_first(unavailable(helve::text("store.busy")).error());
  }
  serve_in_turn();
  file_->lock().end_turn();
}

void SqliteWriter::serve_in_turn() {
  if (auto connected = connect(); !connected) return refuse_first(connected.error());
  rested_ = false;
  Batch batch = take();
  const Result<void> written = write(batch);
  if (!written) {
    for (Ticket& ticket : batch) ticket.outcome = written;
  }
  const bool changed =
      std::ranges::any_of(batch, [](auto& each) { return each.outcome.has_value(); });
  for (Ticket& ticket : batch) ticket.done(std::move(ticket.outcome));
  if (changed) committed_();
  checkpoint();
  look_after_errors();
}

Result<void> SqliteWriter::connect() {
  if (db_ && db_->is_where_it_was()) return {};
  if (std::exchange(db_, nullptr)) return unavailable(helve::text("store.moved"));
  auto opened = file_->open_writer();
  if (!opened) return std::unexpected(opened.error());
  db_ = *std::move(opened);
  return {};
}

SqliteWriter::Batch SqliteWriter::take() {
  const std::lock_guard hold(mutex_);
  Batch batch;
  while (!queue_.empty() && batch.size() < kMostInOneCommit) {
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  last_batch_ = batch.size();
  return batch;
}

void SqliteWriter::refuse_first(const Refusal& refusal) {
  std::unique_lock hold(mutex_);
  Ticket first = std::move(queue_.front());
  queue_.pop_front();
  hold.unlock();
  first.done(std::unexpected(refusal));
}

// A refusal: nothing of the whole batch was written.
Result<void> SqliteWriter::write(Batch& batch) {
  db_->be_patient(batch.front().latest - Clock::now());
  Result<Rows> done = db_->run("BEGIN IMMEDIATE");
  if (!done) return std::unexpected(done.error());
  Result<void> written = write_each(batch);
  if (written && db_->in_transaction()) {
    done = db_->run("COMMIT");
    if (!done) written = std::unexpected(done.error());
  }
  if (db_->in_transaction() && !db_->run("ROLLBACK")) db_->give_up();
  if (!done && db_->is_over()) overwrite_what_failed();
  return written;
}

// What was refused because of a failed fsync may stand in the log, whole, and whoever opens it next
// would find it there. Another commit takes its place; that one needs no fsync.
void SqliteWriter::overwrite_what_failed() {
  (void)db_->script(
      "PRAGMA synchronous = OFF; BEGIN IMMEDIATE;"
      "INSERT INTO meta VALUES ('failed_commits', '1')"
      " ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1;"
      "COMMIT");
}

Result<void> SqliteWriter::write_each(Batch& batch) {
  for (Ticket& ticket : batch) {
    if (auto done = write_one(ticket, batch.size() == 1); !done) return done;
  }
  return {};
}

// A refusal: of the whole transaction.
Result<void> SqliteWriter::write_one(Ticket& ticket, bool alone) {
  if (!alone) {
    if (auto begun = db_->run("SAVEPOINT one"); !begun) return std::unexpected(begun.error());
  }
  ticket.outcome = ticket.work(*db_);
  if (!db_->in_transaction()) {  // some errors end it: a full disk, for one
    if (!ticket.outcome) return ticket.outcome;
    return unavailable(helve::text("store.undone"));
  }
  if (!ticket.outcome) {
    const auto undone = db_->run(alone ? "ROLLBACK" : "ROLLBACK TO one");
    if (!undone) return std::unexpected(undone.error());
  }
  if (alone) return {};
  const auto released = db_->run("RELEASE one");
  if (!released) return std::unexpected(released.error());
  return {};
}

void SqliteWriter::checkpoint() {
  const int pages = db_->log_pages();
  const int every = file_->options().checkpoint_pages;
  next_checkpoint_ = std::min(next_checkpoint_, std::max(pages, 0) / every * every + every);
  if (pages < next_checkpoint_) return;
  // Readers may hold some of it back: then it is tried again when as much has come again.
  next_checkpoint_ = pages + every;
  db_->checkpoint(false);
}

void SqliteWriter::look_after_errors() {
  if (!db_->is_over()) return;
  if (const auto damage = db_->damage()) file_->set_damaged(*damage);
  db_.reset();
}

// The log goes into the database, so that what starts next finds little to read.
void SqliteWriter::rest(const std::stop_token& stop) {
  rested_ = true;
  if (!db_ || !file_->lock().take_turn(Clock::now() + kPatienceAtTheEnd, stop)) return;
  db_->checkpoint(true);
  look_after_errors();
  file_->lock().end_turn();
  if (db_) db_->release_memory();
}

void SqliteWriter::finish() {
  std::unique_lock hold(mutex_);
  std::deque<Ticket> rest = std::exchange(queue_, {});
  hold.unlock();
  for (Ticket& ticket : rest) ticket.done(unavailable(helve::text("store.closing")));
  if (!db_) return;
  if (file_->lock().take_turn(Clock::now() + kPatienceAtTheEnd, {})) {
    db_->tidy_on_close();
    db_.reset();
    file_->lock().end_turn();
  }
  db_.reset();
}

}  // namespace helve::store
