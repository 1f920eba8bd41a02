// workspace/detail/results_folder.h
//
// The folder <workspace>/.helve/results on descriptors: no link is followed on the way to it or in
// it. The agent can write there, so nothing that lies in it is trusted. Blocking; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace helve::workspace {

inline constexpr const char* kResults = ".helve/results";

// The file of a spill in that folder (WS-25).
std::string result_file(std::string_view name);
bool is_result_file(std::string_view file);

// The folder; with its .gitignore, if it may be made. The error is an errno.
std::expected<os::UniqueFd, int> open_results(const std::filesystem::path& workspace, bool make);

// A file that is being written, mode 0600, under a name that nobody looks for; removed unless it is
// placed. The folder must outlive it.
class UnfinishedFile {
 public:
  static std::expected<UnfinishedFile, int> make(int folder);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  int add(std::string_view bytes);  // 0 or the errno
  // In the place of one that is there. 0 once it could be opened again, else the errno.
  int place(const std::string& file);

 private:
  UnfinishedFile(int folder, std::string name, os::UniqueFd fd);
  int folder_;
  std::string name_;  // "" once it is placed
  os::UniqueFd fd_;
};

// The same at once: a whole file or none.
int put_file(int folder, const std::string& file, std::span<const std::string_view> pieces);

// Removes these and remembers that they were here, which was_removed tells unless they are again.
void remove_results(int folder, const std::vector<std::string>& files);
bool was_removed(int folder, std::string_view file);

// The results that are older, and removes what a kill left unfinished.
std::vector<std::string> old_results(int folder, std::chrono::seconds age);

}  // namespace helve::workspace
