// store/detail/postgres_address.h
//
// The address of a PostgreSQL database, which may hold a password: what of it can be shown, and
// whether libpq may be given it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/refusal.h"
#include "store/libpq.h"

namespace helve::store {

// "PostgreSQL, host/database". Of an address that can be read in two ways, "PostgreSQL" alone.
std::string place_of(std::string_view at);

// Refused: store.address_invalid, without a word of the address, for whatever libpq would take for
// a host, a port or a database may be a piece of a password that was not escaped.
Result<void> check_address(const Libpq& pq, const std::string& at);

}  // namespace helve::store
