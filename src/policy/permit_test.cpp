#include "policy/permit.h"

#include <gtest/gtest.h>

namespace helve::policy {
namespace {

struct Case {
  const char *name, *root, *folder;
  bool covered;
};

constexpr Case kCases[] = {
    {"the root itself", "/srv/app", "/srv/app", true},
    {"a folder below", "/srv/app", "/srv/app/logs", true},
    {"a folder beside with the same beginning", "/srv/app", "/srv/application", false},
    {"the way out by dots", "/srv/app", "/srv/app/../etc", false},
    {"dots that stay inside", "/srv/app", "/srv/app/a/../b", true},
    {"a folder above", "/srv/app", "/srv", false},
};

TEST(Permit, APermitCoversItsRootAndBelow) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto allowed = allow(Permit::below(c.root), {.argv = {"true"}, .folder = c.folder});
    EXPECT_EQ(allowed.has_value(), c.covered);
    if (!allowed) EXPECT_EQ(allowed.error().rule, "policy.folder_outside_root");
  }
}

TEST(Permit, TheOwnerRunsAnywhereWithinTheLimits) {
  const auto allowed = allow(Permit::owner({.open_files = 64}), {.argv = {"true"}, .folder = "/"});
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->limits().open_files, 64U);
}

}  // namespace
}  // namespace helve::policy
