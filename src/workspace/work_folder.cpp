#include "workspace/detail/work_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/files.h"

namespace helve::workspace {
namespace {

process::File folder_at(const std::filesystem::path& path) {
  os::UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return fd ? std::make_shared<const os::UniqueFd>(std::move(fd)) : nullptr;
}

bool is_deleted(const os::UniqueFd& folder) {
  struct stat status{};
  return ::fstat(folder.get(), &status) != 0 || status.st_nlink == 0;
}

}  // namespace

WorkFolder::WorkFolder(std::filesystem::path path)
    : path_(std::move(path)), folder_(folder_at(path_)) {}

Result<process::File> WorkFolder::open() {
  const std::lock_guard lock(mutex_);
  if (folder_ && !is_deleted(*folder_)) return folder_;
  folder_ = folder_at(path_);
  if (folder_) return folder_;
  return refuse("bash.cwd_missing",
                {{"folder", path_.string()}, {"reason", os::errno_text(errno)}});
}

}  // namespace helve::workspace
