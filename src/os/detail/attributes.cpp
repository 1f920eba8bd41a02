// What a file has beside its bytes, from one file to another.
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/text.h"
#include "os/detail/temporary.h"

namespace helve::os::detail {
namespace {

constexpr const char* kAcl = "system.posix_acl_access";

// Calls until the answer fits. False if the system says no.
template <typename Read>
bool read_whole(std::string& into, const Read& read) {
  for (into.resize(1024);;) {
    const ssize_t got = read(into.data(), into.size());
    if (got >= 0) {
      into.resize(static_cast<std::size_t>(got));
      return true;
    }
    if (errno != ERANGE || into.size() >= 1024UL * 1024) return false;
    into.resize(into.size() * 4);
  }
}

std::vector<std::string> names_of(const std::string& path) {
  std::string list;
  if (!read_whole(
          list, [&](char* to, std::size_t size) { return ::listxattr(path.c_str(), to, size); })) {
    return {};
  }
  std::vector<std::string> names;
  for (const std::string_view name : split(list, '\0')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

// "", or why this attribute cannot be kept. What the system itself labels files with is no loss.
std::string copy_one(const std::string& from, int to, const std::string& name) {
  std::string value, there;
  const auto read_old = [&](char* at, std::size_t size) {
    return ::getxattr(from.c_str(), name.c_str(), at, size);
  };
  const auto read_new = [&](char* at, std::size_t size) {
    return ::fgetxattr(to, name.c_str(), at, size);
  };
  if (!read_whole(value, read_old)) return errno == ENODATA ? "" : "attributes";
  if (read_whole(there, read_new) && there == value) return "";
  if (::fsetxattr(to, name.c_str(), value.data(), value.size(), 0) == 0) return "";
  if (name.starts_with("security.")) return "";
  return name.starts_with("system.") ? "acl" : "attributes";
}

}  // namespace

std::string copy_attributes(int old, const struct stat& old_status, int to) {
  struct stat now{};
  if (::fstat(to, &now) != 0) return "attributes";
  const bool same_owner = now.st_uid == old_status.st_uid && now.st_gid == old_status.st_gid;
  if (!same_owner && ::fchown(to, old_status.st_uid, old_status.st_gid) != 0) return "owner";
  const std::string from = proc_path(old);
  const std::vector<std::string> names = names_of(from);
  // An ACL that the new file has from its folder, and the old one has not.
  const bool listed = std::ranges::find(names, kAcl) != names.end();
  if (!listed && ::fgetxattr(to, kAcl, nullptr, 0) > 0) ::fremovexattr(to, kAcl);
  for (const std::string& name : names) {
    if (std::string lost = copy_one(from, to, name); !lost.empty()) return lost;
  }
  // Last: a changed owner clears bits of the mode, and an ACL is part of it.
  const mode_t mode = old_status.st_mode & 07777;
  const bool same_mode = same_owner && (now.st_mode & 07777) == mode && names.empty();
  if (!same_mode && ::fchmod(to, mode) != 0) return "mode";
  return "";
}

}  // namespace helve::os::detail
