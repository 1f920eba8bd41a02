// store/detail/postgres_schema.h
//
// The tables of a PostgreSQL database, in the schema "helve", brought up to date. Any number of
// programs may do so at once: one does, the others wait for it.
#pragma once

#include <span>

#include "base/refusal.h"
#include "store/database.h"
#include "store/detail/postgres_connection.h"

namespace helve::store {

// Outside a transaction. All missing steps are taken or none. Refused also: store.newer, and
// nothing was touched.
Result<void> bring_up_to_date(PostgresConnection& connection, std::span<const Schema> schemas);

}  // namespace helve::store
