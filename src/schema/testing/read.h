// schema/testing/read.h
//
// Tests only: the schemas and instances of their tables.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "base/json.h"

namespace helve::schema::testing {

// Of JSON text; fails the test if it is none.
inline Json read(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *std::move(value) : Json();
}

}  // namespace helve::schema::testing
