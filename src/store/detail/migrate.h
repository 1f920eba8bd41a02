// store/detail/migrate.h
//
// Which version the tables of a store have, and how they are brought up to date. It is written down
// in the table `meta` (key, value), which both kinds of database have: "schema.NAME" (a version),
// "store_id", "created" (UTC) and "written_by" (the program that last changed the tables).
// Transactions, locks and backups are the caller's. On the thread of the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/refusal.h"
#include "store/database.h"

namespace helve::store {

enum class Age : std::uint8_t {
  kEmpty,    // no table `meta` yet
  kOlder,    // a step is missing
  kCurrent,  // nothing is to be done
};

// Reads only. Refused: store.newer.
Result<Age> age_of(Connection& connection, std::span<const Schema> schemas);

// Any number of statements without values, in the transaction that is open.
using Script = std::function<Result<void>(std::string_view statements)>;

// All missing steps, and `meta`; inside the caller's transaction, which it does not end. Safe to
// call when nothing is missing.
Result<void> migrate(Connection& connection, std::span<const Schema> schemas, const Script& script);

}  // namespace helve::store
