// host/surroundings.h
//
// What the program finds around itself when it starts: folder, home, variables. Read once in main
// and passed on, so that everything below can be tested with made-up ones. A plain value.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace helve::host {

using Variables = std::map<std::string, std::string>;

struct Surroundings {
  std::filesystem::path cwd;   // absolute
  std::filesystem::path home;  // absolute; empty if unknown
  Variables variables;

  static Surroundings of_process();

  // The value of a variable; "" if it is not set.
  std::string variable(std::string_view name) const;
};

}  // namespace helve::host
