// How a connection comes to be.
#include <array>

#include "base/text.h"
#include "base/texts.h"
#include "store/detail/postgres_address.h"
#include "store/detail/postgres_connection.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

constexpr Duration kConnectPatience = std::chrono::seconds(5);

// `public` because extensions may be there. A client that hangs must not hold its locks for ever.
constexpr const char* kSettings =
    "SET search_path = helve, public; SET statement_timeout = 5000;"
    " SET idle_in_transaction_session_timeout = 10000; SET synchronous_commit = on;"
    " SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'; SET extra_float_digits = 1";

struct Parameters {
  std::array<const char*, 8> names, values;
};

// What stands before the address is a default that the address may change; what stands behind it is
// as we need it.
Parameters parameters_for(const std::string& at) {
  return {{"fallback_application_name", "keepalives_idle", "keepalives_interval",
           "keepalives_count", "tcp_user_timeout", "dbname", "client_encoding", nullptr},
          {"helve", "10", "5", "3", "15000", at.c_str(), "UTF8", nullptr}};
}

void ignore_notice(void* /*context*/, const PGresult* /*result*/) {}

Result<void> not_connected(const Libpq& pq, PGconn* link) {
  return unavailable(std::string(trim(flatten_controls(to_utf8(pq.error_message(link))))));
}

}  // namespace

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::connect(const std::string& at,
                                                                        const StopSignal& stop) {
  const Result<const Libpq*> pq = libpq();
  if (!pq) return std::unexpected(pq.error());
  if (auto checked = check_address(**pq, at); !checked) return std::unexpected(checked.error());
  const Parameters parameters = parameters_for(at);
  Link link((*pq)->connect_start(parameters.names.data(), parameters.values.data(), 1),
            (*pq)->finish);
  HELVE_CHECK(link != nullptr);
  if (auto done = await_connected(**pq, link.get(), stop); !done) {
    return std::unexpected(done.error());
  }
  std::unique_ptr<PostgresConnection> made(new PostgresConnection(**pq, std::move(link), stop));
  if (auto done = made->set_up(); !done) return std::unexpected(done.error());
  return made;
}

Result<void> PostgresConnection::await_connected(const Libpq& pq, PGconn* link,
                                                 const StopSignal& stop) {
  if (pq.status(link) == CONNECTION_BAD) return not_connected(pq, link);
  const auto latest = Clock::now() + kConnectPatience;
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = pq.connect_poll(link)) {
    if (next == PGRES_POLLING_FAILED) return not_connected(pq, link);
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    const Woken woken = stop.wait(pq.socket(link), events, latest);
    if (woken == Woken::kStopped) return unavailable(text("store.closing"));
    if (woken == Woken::kLate) return unavailable(text("store.no_answer"));
  }
  return {};
}

PostgresConnection::PostgresConnection(const Libpq& pq, Link link, const StopSignal& stop)
    : pq_(pq), link_(std::move(link)), stop_(stop) {}

Result<void> PostgresConnection::set_up() {
  pq_.set_notice_receiver(link_.get(), ignore_notice, nullptr);
  if (pq_.set_nonblocking(link_.get(), 1) != 0) return lost();
  const auto done = script(kSettings);
  if (!done) return std::unexpected(done.error());
  return {};
}

}  // namespace helve::store
