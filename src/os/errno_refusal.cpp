// The rule of an errno, and how paths are shown in it.
#include <cerrno>
#include <cstring>
#include <string>

#include "base/text.h"
#include "base/texts.h"
#include "os/files.h"
#include "os/replace.h"

namespace helve::os {
namespace {

const char* rule_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "file.not_found";
    case EACCES:
    case EPERM:
      return "file.denied";
    case EROFS:
      return "file.read_only";
    case ENOSPC:
    case EDQUOT:
      return "disk.full";
    case EFBIG:
      return "file.too_large";
    case ELOOP:
      return "path.loop";
    case ENAMETOOLONG:
      return "path.too_long";
    case EMFILE:
    case ENFILE:
      return "host.busy";
    case EISDIR:
      return "file.is_directory";
    default:
      return "file.failed";
  }
}

}  // namespace

Refusal errno_refusal(int error, std::string_view shown) {
  Refusal refusal{rule_of(error), {{"path", flatten_controls(to_utf8(shown))}}};
  if (refusal.rule == "file.not_found") {
    refusal.args.insert(refusal.args.end(), {{"missing", ""}, {"near", ""}});
  } else if (refusal.rule == "file.is_directory") {
    refusal.args.emplace_back("entries", "");
  } else if (refusal.rule == "file.too_large") {
    refusal.args.emplace_back("limit", text("file.limit_of_system"));
  } else if (refusal.rule == "file.failed") {
    const char* name = strerrorname_np(error);
    refusal.args.emplace_back(
        "reason", std::string(name != nullptr ? name : "errno") + " (" + errno_text(error) + ")");
  }
  return refusal;
}

}  // namespace helve::os
