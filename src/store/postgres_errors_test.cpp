#include "store/detail/postgres_errors.h"

#include <gtest/gtest.h>

#include "base/texts.h"

namespace helve::store {
namespace {

struct Case {
  const char* name;
  const char* state;
  Trouble trouble;
  const char* rule;
};

constexpr Case kCases[] = {
    {"NT-46 a serialization failure is tried again", "40001", Trouble::kAgain, "store.unavailable"},
    {"NT-46 a deadlock is tried again", "40P01", Trouble::kAgain, "store.unavailable"},
    {"a key that another has just inserted", "23505", Trouble::kAgain, "store.unavailable"},
    {"the server is being stopped", "57P01", Trouble::kBroken, "store.unavailable"},
    {"a process of the server has crashed", "57P02", Trouble::kBroken, "store.unavailable"},
    {"the connection failed", "08006", Trouble::kBroken, "store.unavailable"},
    {"a transaction that stood still for too long", "25P03", Trouble::kBroken, "store.unavailable"},
    {"a statement took too long", "57014", Trouble::kRefused, "store.unavailable"},
    {"too many connections", "53300", Trouble::kRefused, "store.unavailable"},
    {"the disk is full", "53100", Trouble::kRefused, "store.full"},
    {"a standby, or a read that would write", "25006", Trouble::kRefused, "store.read_only"},
    {"the user may not", "42501", Trouble::kRefused, "store.read_only"},
    {"a page is damaged", "XX001", Trouble::kRefused, "store.damaged"},
    {"an index is damaged", "XX002", Trouble::kRefused, "store.damaged"},
    {"a table is gone", "42P01", Trouble::kRefused, "store.damaged"},
    {"a wrong statement", "42601", Trouble::kOurs, "store.damaged"},
    {"a value that a column cannot hold", "22003", Trouble::kOurs, "store.damaged"},
    {"anything else", "58030", Trouble::kRefused, "store.unavailable"},
};

TEST(PostgresErrors, EachStateHasItsMeaning) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(trouble_of(c.state), c.trouble);
    EXPECT_EQ(refusal_of(c.state, "m").rule, c.rule);
  }
}

TEST(PostgresErrors, TheServersSentenceIsOneLineOfUtf8) {
  const std::string said = render(refusal_of("53100", "no\n\troom \xff")).message;
  EXPECT_EQ(said, "the database has no room left: no room \ufffd");
}

}  // namespace
}  // namespace helve::store
