// Which of the two kinds of database a setting names.
#include <utility>

#include "store/database.h"
#include "store/detail/postgres.h"
#include "store/detail/sqlite.h"

namespace helve::store {

std::shared_ptr<Database> open(os::Loop& loop, Settings settings) {
  const bool postgres =
      settings.at.starts_with("postgresql://") || settings.at.starts_with("postgres://");
  return postgres ? open_postgres(loop, std::move(settings))
                  : open_sqlite(loop, std::move(settings));
}

}  // namespace helve::store
