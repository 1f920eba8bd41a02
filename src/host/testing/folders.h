// host/testing/folders.h
//
// A folder for one test, with a home and a project in it; gone when the test ends.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/surroundings.h"

namespace helve::host::testing {

class Folders {
 public:
  Folders() {
    std::string pattern = (std::filesystem::temp_directory_path() / "helve-test-XXXXXX").string();
    top_ = std::filesystem::canonical(::mkdtemp(pattern.data()));
    std::filesystem::create_directories(project());
    around.cwd = project();
    around.home = top_ / "home";
    around.variables = {{"HOME", around.home.string()}, {"TOKEN", "t0ken"}};
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() { std::filesystem::remove_all(top_); }

  std::filesystem::path top() const { return top_; }
  std::filesystem::path project() const { return top_ / "home" / "project"; }

  // `file` is relative to the top.
  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((top_ / file).parent_path());
    std::ofstream(top_ / file) << text;
  }

  Surroundings around;

 private:
  std::filesystem::path top_;
};

}  // namespace helve::host::testing
