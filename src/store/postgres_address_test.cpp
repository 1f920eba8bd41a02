#include "store/detail/postgres_address.h"

#include <gtest/gtest.h>

#include "base/texts.h"

namespace helve::store {
namespace {

struct Place {
  const char* at;
  const char* want;
};

constexpr Place kPlaces[] = {
    {"postgresql://db.example/notes", "PostgreSQL, db.example/notes"},
    {"postgres://me:secret@db.example:5433/notes", "PostgreSQL, db.example:5433/notes"},
    {"postgresql://me@[::1]:5433/notes?password=secret", "PostgreSQL, [::1]:5433/notes"},
    {"postgresql:///notes?host=%2Frun%2Fpg&user=me&password=secret", "PostgreSQL, /run/pg/notes"},
    {"postgresql://", "PostgreSQL"},
    {"postgresql:///notes", "PostgreSQL, /notes"},
    {"postgresql://me:sec@ret@db.example/notes", "PostgreSQL"},
    {"postgresql://me:sec?ret@db.example/notes", "PostgreSQL, db.example/notes"},
    {"postgresql://me:sec/ret@db.example/notes", "PostgreSQL, db.example/notes"},
    {"postgresql://db.example/a%0Ab%", "PostgreSQL, db.example/a b%"},
};

TEST(PostgresAddress, ShowsTheHostAndTheDatabaseAndNoSecret) {
  for (const Place& c : kPlaces) {
    EXPECT_EQ(place_of(c.at), c.want) << c.at;
    EXPECT_EQ(place_of(c.at).find("sec"), std::string::npos) << c.at;
  }
}

TEST(PostgresAddress, OneThatMayShowAPieceOfAPasswordIsRefusedWithoutAWordOfIt) {
  const auto pq = libpq();
  if (!pq) GTEST_SKIP() << render_text(pq.error());
  for (const char* at : {"postgresql://me:hush@hush@host/db", "postgresql://me:hush/hush@host/db",
                         "postgresql://me:hush%zz@host/db", "postgresql://me:hush:hush@ho@st/db",
                         "postgresql://host:hush/db", "postgresql://host/db?hush=1"}) {
    const auto checked = check_address(**pq, at);
    ASSERT_FALSE(checked) << at;
    EXPECT_EQ(checked.error().rule, "store.address_invalid") << at;
    EXPECT_EQ(render_text(checked.error()).find("hush"), std::string::npos) << at;
  }
  EXPECT_TRUE(check_address(**pq, "postgresql://me%40corp:h%2Fs@a,b:1,2/db?connect_timeout=3"));
}

TEST(Libpq, WhereItIsMissingTheNextStepNamesThePackage) {
  const auto missing = load_libpq("libpq-that-is-not-there.so.5");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().rule, "store.unavailable");
  EXPECT_NE(render(missing.error()).next.find("libpq5"), std::string::npos);
}

}  // namespace
}  // namespace helve::store
