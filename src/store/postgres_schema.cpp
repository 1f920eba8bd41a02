#include "store/detail/postgres_schema.h"

#include "store/detail/migrate.h"

namespace helve::store {
namespace {

constexpr Duration kStepPatience = std::chrono::hours(1);

Result<void> script(PostgresConnection& connection, std::string_view statements) {
  const auto done = connection.script(std::string(statements));
  if (!done) return std::unexpected(done.error());
  return {};
}

// Asks the table: to_regnamespace() may answer from a cache that does not know yet what another
// program has committed while we waited for the lock.
Result<bool> has_schema(PostgresConnection& connection) {
  const auto found = connection.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'helve'");
  if (!found) return std::unexpected(found.error());
  return integer(found->rows.at(0).at(0)) != 0;
}

// Without the schema, `meta` would be looked for in `public`, where it is somebody else's.
Result<Age> age_in_schema(PostgresConnection& connection, std::span<const Schema> schemas) {
  const Result<bool> there = has_schema(connection);
  if (!there) return std::unexpected(there.error());
  return *there ? age_of(connection, schemas) : Age::kEmpty;
}

Result<Age> look(PostgresConnection& connection, std::span<const Schema> schemas) {
  if (auto begun = script(connection, "BEGIN READ ONLY"); !begun) {
    return std::unexpected(begun.error());
  }
  const Result<Age> age = age_in_schema(connection, schemas);
  connection.roll_back();
  return age;
}

Result<void> take_steps(PostgresConnection& connection, std::span<const Schema> schemas) {
  if (auto begun = script(connection,
                          "BEGIN ISOLATION LEVEL READ COMMITTED;"
                          " SELECT pg_advisory_xact_lock(hashtextextended('helve.schema', 0));"
                          " SET LOCAL statement_timeout = 0");
      !begun) {
    return begun;
  }
  connection.set_patience(kStepPatience);
  const Result<bool> there = has_schema(connection);
  if (!there) return std::unexpected(there.error());
  if (!*there) {
    if (auto made = script(connection, "CREATE SCHEMA helve"); !made) return made;
  }
  const auto step = [&](std::string_view statements) { return script(connection, statements); };
  if (auto done = migrate(connection, schemas, step); !done) return done;
  return script(connection, "COMMIT");
}

}  // namespace

Result<void> bring_up_to_date(PostgresConnection& connection, std::span<const Schema> schemas) {
  connection.forget();
  const Result<Age> age = look(connection, schemas);
  if (!age) return std::unexpected(age.error());
  if (*age == Age::kCurrent) return {};
  const Result<void> done = take_steps(connection, schemas);
  connection.set_patience(PostgresConnection::kPatience);
  if (!done) connection.roll_back();
  return done;
}

}  // namespace helve::store
