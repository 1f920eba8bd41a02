// workspace/detail/fence.h
//
// Landlock around a thread: it opens nothing but what lies below some folders, whatever its code
// does. It cannot be left again, and new threads of that thread are in it, too. Any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "os/fd.h"

namespace helve::workspace::detail {

class Fence {
 public:
  // nullopt if the kernel has no Landlock or does not let this process use it. Folders that are
  // missing are left out, and stay so when they come later.
  static std::optional<Fence> around(const std::vector<std::filesystem::path>& folders);

  bool enter() const;  // the calling thread

 private:
  std::shared_ptr<const os::UniqueFd> rules_;
};

}  // namespace helve::workspace::detail
