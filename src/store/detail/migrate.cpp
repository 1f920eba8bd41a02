#include "store/detail/migrate.h"

#include <charconv>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

constexpr std::string_view kHasMeta[] = {
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'",
    "SELECT count(*) FROM information_schema.tables"
    " WHERE table_schema = current_schema() AND table_name = 'meta'"};
constexpr std::string_view kMakeMeta[] = {
    "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)"};
constexpr std::string_view kSet =
    "INSERT INTO meta (key, value) VALUES ($1, $2)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value";

std::string key_of(const Schema& schema) { return "schema." + std::string(schema.name); }

Result<bool> has_meta(Connection& connection) {
  const auto found = connection.run(kHasMeta[static_cast<int>(connection.dialect())]);
  if (!found) return std::unexpected(found.error());
  return integer(found->rows.at(0).at(0)) > 0;
}

Result<std::string> value_of(Connection& connection, std::string key) {
  auto found = connection.run("SELECT value FROM meta WHERE key = $1", {std::move(key)});
  if (!found) return std::unexpected(found.error());
  return found->rows.empty() ? std::string() : text(std::move(found->rows[0][0]));
}

Result<void> set(Connection& connection, std::string key, std::string value) {
  const auto done = connection.run(kSet, {std::move(key), std::move(value)});
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<std::size_t> version_of(Connection& connection, const Schema& schema) {
  const Result<std::string> value = value_of(connection, key_of(schema));
  if (!value) return std::unexpected(value.error());
  std::size_t version = 0;
  std::from_chars(value->data(), value->data() + value->size(), version);
  return version;
}

Result<void> make_meta(Connection& connection) {
  const auto made = connection.run(kMakeMeta[static_cast<int>(connection.dialect())]);
  if (!made) return std::unexpected(made.error());
  if (auto done = set(connection, "store_id", random_hex(8)); !done) return done;
  return set(connection, "created", utc_text(WallClock::now()));
}

Result<void> take_steps(Connection& connection, const Schema& schema, const Script& script) {
  const Result<std::size_t> have = version_of(connection, schema);
  if (!have) return std::unexpected(have.error());
  const bool sqlite = connection.dialect() == Dialect::kSqlite;
  for (std::size_t step = *have; step < schema.steps.size(); ++step) {
    auto done = script(sqlite ? schema.steps[step].sqlite : schema.steps[step].postgres);
    if (!done) return done;
  }
  if (*have >= schema.steps.size()) return {};
  return set(connection, key_of(schema), std::to_string(schema.steps.size()));
}

// That there is something newer stands, even if it cannot be told who wrote it.
std::unexpected<Refusal> too_new(Connection& connection, const Schema& schema, std::size_t have) {
  const Result<std::string> by = value_of(connection, "written_by");
  return newer(schema.name, static_cast<std::int64_t>(have),
               static_cast<std::int64_t>(schema.steps.size()), by.value_or("?"));
}

}  // namespace

Result<Age> age_of(Connection& connection, std::span<const Schema> schemas) {
  const Result<bool> meta = has_meta(connection);
  if (!meta) return std::unexpected(meta.error());
  if (!*meta) return Age::kEmpty;
  Age age = Age::kCurrent;
  for (const Schema& schema : schemas) {
    const Result<std::size_t> have = version_of(connection, schema);
    if (!have) return std::unexpected(have.error());
    if (*have > schema.steps.size()) return too_new(connection, schema, *have);
    if (*have < schema.steps.size()) age = Age::kOlder;
  }
  return age;
}

Result<void> migrate(Connection& connection, std::span<const Schema> schemas,
                     const Script& script) {
  const Result<Age> age = age_of(connection, schemas);
  if (!age) return std::unexpected(age.error());
  if (*age == Age::kCurrent) return {};
  if (*age == Age::kEmpty) {
    if (auto made = make_meta(connection); !made) return made;
  }
  for (const Schema& schema : schemas) {
    if (auto done = take_steps(connection, schema, script); !done) return done;
  }
  return set(connection, "written_by", HELVE_VERSION);
}

}  // namespace helve::store
