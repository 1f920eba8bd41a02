// How statements are sent and answers are awaited.
#include "store/detail/postgres_connection.h"

#include <cstdio>

#include "base/text.h"
#include "base/texts.h"
#include "store/detail/postgres_values.h"
#include "store/detail/refusals.h"

namespace helve::store {

void PostgresConnection::forget() {
  trouble_ = Trouble::kNone;
  refusal_ = {};
  changed_ = false;
}

std::unexpected<Refusal> PostgresConnection::fail(Trouble trouble, Refusal refusal) {
  if (trouble == Trouble::kBroken || trouble == Trouble::kSilent || trouble == Trouble::kStopped) {
    usable_ = false;
  }
  if (trouble_ == Trouble::kNone) {
    trouble_ = trouble;
    refusal_ = std::move(refusal);
  }
  return std::unexpected(refusal_);
}

std::unexpected<Refusal> PostgresConnection::lost() {
  std::string reason(trim(flatten_controls(to_utf8(pq_.error_message(link_.get())))));
  return fail(Trouble::kBroken, unavailable(std::move(reason)).error());
}

bool PostgresConnection::wait(short events, Clock::time_point latest) {
  const Woken woken = stop_.wait(socket(), events, latest);
  if (woken == Woken::kReady) return true;
  const bool late = woken == Woken::kLate;
  (void)fail(late ? Trouble::kSilent : Trouble::kStopped,
             unavailable(text(late ? "store.no_answer" : "store.closing")).error());
  return false;
}

// A long statement goes out in pieces. The server may answer meanwhile, and waits if it is not
// read.
bool PostgresConnection::send_rest(Clock::time_point latest) {
  for (;;) {
    const int left = pq_.flush(link_.get());
    if (left <= 0) return left == 0;
    if (!wait(POLLIN | POLLOUT, latest)) return false;
    if (pq_.consume_input(link_.get()) == 0) return false;
  }
}

// Null at the end of an answer, and when none came in time.
ResultPtr PostgresConnection::next_result(Clock::time_point latest) {
  while (pq_.is_busy(link_.get()) != 0) {
    if (!wait(POLLIN, latest)) return {nullptr, {&pq_}};
    // What it has read before it failed is still to be had: perhaps why the server has hung up.
    if (pq_.consume_input(link_.get()) == 0) break;
  }
  return {pq_.get_result(link_.get()), {&pq_}};
}

Result<ResultPtr> PostgresConnection::checked(ResultPtr result) {
  const ExecStatusType status = pq_.result_status(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
    return result;
  }
  const char* state = pq_.error_field(result.get(), PG_DIAG_SQLSTATE);
  const char* message = pq_.error_field(result.get(), PG_DIAG_MESSAGE_PRIMARY);
  if (state == nullptr || pq_.status(link_.get()) != CONNECTION_OK) return lost();
  const Trouble trouble = trouble_of(state);
  if (trouble == Trouble::kOurs) std::fprintf(stderr, "%s: %s\n", state, message);
  HELVE_CHECK(trouble != Trouble::kOurs);
  return fail(trouble, refusal_of(state, message == nullptr ? state : message));
}

// The last result of what was sent, or its first error.
Result<ResultPtr> PostgresConnection::answer(bool sent) {
  const auto latest = Clock::now() + patience_;
  if (!sent) return lost();
  const bool complete = send_rest(latest);
  if (!usable_) return std::unexpected(refusal_);
  if (!complete && pq_.status(link_.get()) == CONNECTION_OK) return lost();
  Result<ResultPtr> last = ResultPtr(nullptr, {&pq_});
  while (ResultPtr result = next_result(latest)) {
    if (last) last = checked(std::move(result));
    if (!usable_) return std::unexpected(refusal_);
  }
  if (!usable_) return std::unexpected(refusal_);
  if (last && !*last) return lost();
  return last;
}

Result<const std::string*> PostgresConnection::prepared(std::string_view sql) {
  if (const auto known = prepared_.find(sql); known != prepared_.end()) return &known->second;
  std::string name = "helve" + std::to_string(prepared_.size());
  const std::string statement(sql);
  const bool sent = pq_.send_prepare(link_.get(), name.c_str(), statement.c_str(), 0, nullptr) == 1;
  const Result<ResultPtr> done = answer(sent);
  if (!done) return std::unexpected(done.error());
  return &prepared_.emplace(statement, std::move(name)).first->second;
}

Result<Rows> PostgresConnection::run(std::string_view sql, std::span<const Value> values) {
  if (trouble_ != Trouble::kNone) return std::unexpected(refusal_);
  const Result<const std::string*> name = prepared(sql);
  if (!name) return std::unexpected(name.error());
  const Places places(values);
  const bool sent = pq_.send_prepared(link_.get(), (*name)->c_str(), places.count(),
                                      places.pointers(), nullptr, nullptr, 0) == 1;
  const Result<ResultPtr> done = answer(sent);
  if (!done) return std::unexpected(done.error());
  Rows rows = rows_of(pq_, **done);
  changed_ = changed_ || rows.changed > 0;
  return rows;
}

Result<std::string> PostgresConnection::script(const std::string& statements) {
  const Result<ResultPtr> done = answer(pq_.send_query(link_.get(), statements.c_str()) == 1);
  if (!done) return std::unexpected(done.error());
  return std::string(pq_.command_tag(done->get()));
}

void PostgresConnection::insist(const char* statement) {
  if (usable_ && !script(statement)) usable_ = false;
}

bool PostgresConnection::take_notifications() {
  if (pq_.consume_input(link_.get()) == 0) (void)lost();
  bool any = false;
  while (PGnotify* notification = pq_.notifies(link_.get())) {
    pq_.freemem(notification);
    any = true;
  }
  return any;
}

}  // namespace helve::store
