// store/detail/postgres_connection.h
//
// One connection to a server, and the statements that were prepared on it. Every wait has an end:
// for an answer that does not come the connection is given up. It remembers the first trouble of a
// transaction, after which that transaction can only be rolled back. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "store/database.h"
#include "store/detail/postgres_errors.h"
#include "store/detail/stop_signal.h"
#include "store/libpq.h"

namespace helve::store {

class PostgresConnection final : public Connection {
 public:
  // Refused after 5 s at most, the look-up of the host's name apart. `stop` must outlive it.
  static Result<std::unique_ptr<PostgresConnection>> connect(const std::string& at,
                                                             const StopSignal& stop);

  Dialect dialect() const override { return Dialect::kPostgres; }
  using Connection::run;
  Result<Rows> run(std::string_view sql, std::span<const Value> values) override;

  // Any number of statements without values; the tag of the last, as in "COMMIT".
  Result<std::string> script(const std::string& statements);
  // What must work on a connection that is fine; if it does not, the connection is not usable().
  void roll_back() { insist("ROLLBACK"); }
  void ping() { insist("SELECT 1"); }

  // How long one answer may take; the server itself ends a statement after 5 s.
  static constexpr Duration kPatience = std::chrono::seconds(6);
  void set_patience(Duration patience) { patience_ = patience; }

  // False: only good for being destroyed.
  bool usable() const { return usable_; }
  // Since forget().
  Trouble trouble() const { return trouble_; }
  const Refusal& refusal() const { return refusal_; }
  bool changed() const { return changed_; }
  void forget();

  int socket() const { return pq_.socket(link_.get()); }
  // Whether the server has sent notifications since the last call; false in usable() if it is gone.
  bool take_notifications();

 private:
  using Link = std::unique_ptr<PGconn, decltype(&PQfinish)>;
  PostgresConnection(const Libpq& pq, Link link, const StopSignal& stop);

  static Result<void> await_connected(const Libpq& pq, PGconn* link, const StopSignal& stop);
  Result<void> set_up();
  void insist(const char* statement);
  Result<const std::string*> prepared(std::string_view sql);
  Result<ResultPtr> answer(bool sent);
  bool send_rest(Clock::time_point latest);
  ResultPtr next_result(Clock::time_point latest);
  Result<ResultPtr> checked(ResultPtr result);
  bool wait(short events, Clock::time_point latest);
  std::unexpected<Refusal> fail(Trouble trouble, Refusal refusal);
  std::unexpected<Refusal> lost();

  const Libpq& pq_;
  Link link_;
  const StopSignal& stop_;
  std::map<std::string, std::string, std::less<>> prepared_;  // text to name
  Duration patience_ = kPatience;
  Trouble trouble_ = Trouble::kNone;
  Refusal refusal_;
  bool usable_ = true;
  bool changed_ = false;
};

}  // namespace helve::store
