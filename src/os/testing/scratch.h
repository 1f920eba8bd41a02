// os/testing/scratch.h
//
// A folder of a test's own, and children that do what this process must not do to itself: give up
// rights, mount, lower limits, be killed.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sched.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/ids.h"

namespace helve::os::testing {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    fs::create_directories(path_);
    path_ = fs::canonical(path_);
    fs::permissions(path_, fs::perms(0755));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }
  fs::path operator/(const fs::path& name) const { return path_ / name; }

  fs::path write(const fs::path& name, const std::string& text, mode_t mode = 0644) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }
  std::string read(const fs::path& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names(const fs::path& folder = ".") const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(path_ / folder)) {
      all.push_back(entry.path().filename().string());
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("helve-scratch-" + random_hex(8));
};

// What `act` says in a child of its own; "crashed" if it says nothing.
inline std::string in_child(const std::function<std::string()>& act) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string said = act() + "\n";
    const bool told = ::write(ends[1], said.data(), said.size()) > 0;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said.empty() ? "crashed" : said.substr(0, said.size() - 1);
}

inline bool is_root() { return ::geteuid() == 0; }

// As a user without rights. Only root can become one.
inline std::string as_nobody(const std::function<std::string()>& act) {
  return in_child([&]() -> std::string {
    constexpr unsigned kNobody = 65534;
    const bool done = ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    return done ? act() : "still root";
  });
}

inline bool can_mount() {
  return is_root() && in_child([] { return std::to_string(::unshare(CLONE_NEWNS)); }) == "0";
}

// Where mounts go with the child.
inline std::string with_mounts(const std::function<std::string()>& act) {
  return in_child([&]() -> std::string {
    const bool own = ::unshare(CLONE_NEWNS) == 0 &&
                     ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return own ? act() : "no mounts";
  });
}

}  // namespace helve::os::testing
