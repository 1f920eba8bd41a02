#include "workspace/detail/results_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "base/ids.h"
#include "os/files.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kEnding = ".txt";
constexpr std::string_view kUnfinished = ".spill-";
constexpr std::chrono::hours kUnfinishedAge{1};
constexpr int kOpen = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), plain);
}

// RFC 4648, lower case, without padding: also right where names have no case.
std::string base32(std::string_view bytes) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  unsigned held = 0;
  unsigned bits = 0;
  for (const char byte : bytes) {
    held = (held << 8U) | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 5; bits -= 5) out += kDigits[(held >> (bits - 5)) & 31U];
  }
  if (bits > 0) out += kDigits[(held << (5 - bits)) & 31U];
  return out;
}

std::expected<os::UniqueFd, int> open_folder(int parent, const char* name, bool make) {
  if (make && ::mkdirat(parent, name, 0777) != 0 && errno != EEXIST) return std::unexpected(errno);
  os::UniqueFd folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | kOpen));
  if (folder) return folder;
  const int error = errno;
  struct stat facts{};
  const bool link =
      ::fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
  return std::unexpected(link ? ELOOP : error);
}

// So that nobody commits what is kept here.
void ignore_for_git(int folder) {
  const os::UniqueFd fd(::openat(folder, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | kOpen, 0644));
  if (fd) os::write_all(fd.get(), "*\n");
}

int check_readable(int folder, const std::string& file) {
  const os::UniqueFd fd(::openat(folder, file.c_str(), O_RDONLY | kOpen));
  return fd ? 0 : errno;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  os::UniqueFd again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | kOpen));
  if (!again) return names;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(again.get()));
  if (entries == nullptr) return names;
  again.release();
  while (const dirent* entry = ::readdir(entries.get())) names.emplace_back(entry->d_name);
  return names;
}

bool is_older(int folder, const std::string& file, std::chrono::seconds age) {
  struct stat facts{};
  if (::fstatat(folder, file.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return S_ISREG(facts.st_mode) && facts.st_mtime < std::time(nullptr) - age.count();
}

}  // namespace

std::string result_file(std::string_view name) {
  return (is_plain_name(name) ? std::string(name) : base32(sha256(name))) + std::string(kEnding);
}

bool is_result_file(std::string_view file) {
  return file.ends_with(kEnding) && is_plain_name(file.substr(0, file.size() - kEnding.size()));
}

std::expected<os::UniqueFd, int> open_results(const std::filesystem::path& workspace, bool make) {
  const os::UniqueFd root(::open(workspace.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return std::unexpected(errno);
  auto ours = open_folder(root.get(), ".helve", make);
  if (!ours) return ours;
  auto results = open_folder(ours->get(), "results", make);
  if (results && make) ignore_for_git(results->get());
  return results;
}

UnfinishedFile::UnfinishedFile(int folder, std::string name, os::UniqueFd fd)
    : folder_(folder), name_(std::move(name)), fd_(std::move(fd)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : folder_(other.folder_), name_(std::exchange(other.name_, "")), fd_(std::move(other.fd_)) {}

UnfinishedFile::~UnfinishedFile() {
  if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
}

std::expected<UnfinishedFile, int> UnfinishedFile::make(int folder) {
  std::string name = std::string(kUnfinished) + random_hex(8);
  os::UniqueFd fd(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | kOpen, 0600));
  if (!fd) return std::unexpected(errno);
  return UnfinishedFile(folder, std::move(name), std::move(fd));
}

int UnfinishedFile::add(std::string_view bytes) { return os::write_all(fd_.get(), bytes); }

int UnfinishedFile::place(const std::string& file) {
  if (::renameat(folder_, name_.c_str(), folder_, file.c_str()) != 0) return errno;
  name_.clear();
  return check_readable(folder_, file);
}

int put_file(int folder, const std::string& file, std::span<const std::string_view> pieces) {
  auto unfinished = UnfinishedFile::make(folder);
  if (!unfinished) return unfinished.error();
  for (const std::string_view piece : pieces) {
    if (const int error = unfinished->add(piece); error != 0) return error;
  }
  return unfinished->place(file);
}

std::vector<std::string> old_results(int folder, std::chrono::seconds age) {
  std::vector<std::string> old;
  for (const std::string& name : names_in(folder)) {
    if (is_result_file(name) && is_older(folder, name, age)) old.push_back(name);
    if (name.starts_with(kUnfinished) && is_older(folder, name, kUnfinishedAge)) {
      ::unlinkat(folder, name.c_str(), 0);
    }
  }
  return old;
}

}  // namespace helve::workspace
