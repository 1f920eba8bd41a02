// store/detail/postgres.h
//
// The database of a PostgreSQL server. Loop thread only.
#pragma once

#include <memory>

#include "store/database.h"

namespace helve::store {

// `settings.at` is "postgresql://...". Reaches for libpq and the server on first use.
std::shared_ptr<Database> open_postgres(os::Loop& loop, Settings settings);

}  // namespace helve::store
