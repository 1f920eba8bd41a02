#include "workspace/detail/names.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "os/fd.h"

namespace helve::workspace::detail {

std::vector<std::string> names_in(int folder) {
  constexpr std::size_t kMost = 5'000;
  std::vector<std::string> names;
  os::UniqueFd fd(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* entries = fd ? ::fdopendir(fd.get()) : nullptr;
  if (entries == nullptr) return names;
  fd.release();
  while (const dirent* entry = ::readdir(entries)) {
    std::string name = static_cast<const char*>(entry->d_name);
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR) name += '/';
    names.push_back(std::move(name));
    if (names.size() == kMost) break;
  }
  ::closedir(entries);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> near_names(const std::vector<std::string>& names,
                                    std::string_view wanted) {
  constexpr std::size_t kMost = 3;
  const std::string meant = lower_ascii(wanted);
  const std::size_t limit = std::max<std::size_t>(2, meant.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    std::string other = lower_ascii(name);
    if (other.ends_with('/')) other.pop_back();
    std::size_t distance = edit_distance(meant, other, limit);
    const bool longer = meant.size() >= 3 && other.starts_with(meant);
    if (longer) distance = std::min(distance, limit);
    if (distance <= limit && distance < std::max(meant.size(), other.size())) {
      ranked.emplace_back(distance, name);
    }
  }
  std::ranges::sort(ranked);
  if (ranked.size() > kMost) ranked.resize(kMost);
  std::vector<std::string> near;
  for (auto& [distance, name] : ranked) near.push_back(std::move(name));
  return near;
}

}  // namespace helve::workspace::detail
