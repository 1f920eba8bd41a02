// workspace/detail/protected.h
//
// What the file tools never write: the configuration, however it is spelled or linked
// (path.configuration). Looked up for each write, for it may come and go. Blocking; any thread.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/beneath.h"

namespace helve::workspace::detail {

class Protected {
 public:
  explicit Protected(const std::vector<std::filesystem::path>& configuration);

  bool covers(std::string_view real_path) const;    // by its words
  bool covers(const os::Walk::Step& step) const;    // by folder and name, or by what is there
  bool has_link_to(const struct stat& file) const;  // a hard link of it lies in there

 private:
  using Id = std::pair<dev_t, ino_t>;
  struct Entry {
    std::string given, real, name;
    std::optional<Id> self, folder;
  };
  static std::optional<Id> id_of(const std::filesystem::path& path);

  std::vector<Entry> entries_;
};

}  // namespace helve::workspace::detail
