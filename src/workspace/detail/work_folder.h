// workspace/detail/work_folder.h
//
// The workspace as the folder that it was when the server started, whatever its path means by now
// (WS-28): commands run in it also after it was renamed, and in no other that was put in its place.
// Only once it was deleted, what has its path takes its place. Blocking; any thread.
#pragma once

#include <filesystem>
#include <mutex>

#include "base/refusal.h"
#include "process/process.h"

namespace helve::workspace {

class WorkFolder {
 public:
  explicit WorkFolder(std::filesystem::path path);

  // Refused: bash.cwd_missing {folder, reason}.
  Result<process::File> open();

 private:
  const std::filesystem::path path_;
  std::mutex mutex_;
  process::File folder_;  // by mutex_; null: it was not there
};

}  // namespace helve::workspace
