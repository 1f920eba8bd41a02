// workspace/detail/roots.h
//
// The folders that a path may lie in, each opened once. One that was missing is looked for again,
// and so is one that was deleted. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "os/beneath.h"
#include "workspace/paths.h"
#include "workspace/settings.h"

namespace helve::workspace::detail {

class Roots {
 public:
  explicit Roots(const Settings& settings);

  // Whether a place outside the environment lies in one of them, by its words.
  bool covers(std::string_view path) const;

  // Where the walk to a place begins, with the descriptors held.
  struct Start {
    std::vector<std::shared_ptr<const os::UniqueFd>> held;
    std::vector<os::Root> roots;
    std::size_t from = 0;
    std::string below;
    const os::Root& root() const { return roots[from]; }
  };
  // Refused: file.not_found and the like for a root that cannot be opened.
  Result<Start> start(const Place& place) const;

  std::string listed() const;  // for sentences

 private:
  struct Folder {
    std::string given, real;
    std::shared_ptr<const os::UniqueFd> fd;  // null: missing
    int error = 0;
  };
  static void open(Folder& folder);
  Result<Start> start_in_environment(const Place& place) const;

  std::optional<EnvironmentFolder> environment_;
  mutable std::mutex mutex_;
  mutable std::vector<Folder> folders_;  // by mutex_
};

}  // namespace helve::workspace::detail
