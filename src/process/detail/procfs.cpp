#include "process/detail/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <memory>

#include "base/text.h"
#include "os/fd.h"

namespace helve::process {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string proc_file(int pid, const char* name) {
  return "/proc/" + std::to_string(pid) + '/' + name;
}

template <typename Number>
bool next_number(std::string_view& rest, Number& out) {
  const size_t begin = rest.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return false;
  rest.remove_prefix(begin);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return true;
}

}  // namespace

std::string read_small_at(int folder, const char* file) {
  const os::UniqueFd fd(::openat(folder, file, O_RDONLY | O_CLOEXEC));
  std::string out;
  std::array<char, 4096> chunk;
  while (fd) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.append(chunk.data(), static_cast<size_t>(got));
  }
  return out;
}

std::string read_small(const char* file) { return read_small_at(AT_FDCWD, file); }

std::optional<Member> parse_stat(std::string_view line) {
  Member member;
  std::string_view rest = line;
  if (!next_number(rest, member.pid)) return std::nullopt;
  // The name is in parentheses and may hold anything, parentheses and line ends too.
  const size_t close = line.rfind(')');
  if (close == std::string_view::npos || close + 2 >= line.size()) return std::nullopt;
  member.state = line[close + 2];
  rest = line.substr(close + 3);
  if (!next_number(rest, member.parent) || !next_number(rest, member.group) ||
      !next_number(rest, member.session)) {
    return std::nullopt;
  }
  constexpr int kBetween = 15;  // tty_nr (7) to itrealvalue (21)
  long long skipped = 0;
  for (int i = 0; i < kBetween; ++i) {
    if (!next_number(rest, skipped)) return std::nullopt;
  }
  if (!next_number(rest, member.started)) return std::nullopt;
  return member;
}

std::optional<Member> read_member(int pid) {
  return parse_stat(read_small(proc_file(pid, "stat").c_str()));
}

std::vector<Member> all_members() {
  std::vector<Member> members;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    std::string_view name = entry->d_name;
    int pid = 0;
    if (!next_number(name, pid) || !name.empty()) continue;
    const std::optional<Member> member = read_member(pid);
    if (member && !member->gone()) members.push_back(*member);
  }
  return members;
}

std::optional<std::vector<int>> own_children() {
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc/self/task"));
  if (!folder) return std::nullopt;
  std::vector<int> children;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string file = std::string(entry->d_name) + "/children";
    if (::faccessat(::dirfd(folder.get()), file.c_str(), R_OK, 0) != 0) {
      if (errno == ENOENT && ::faccessat(::dirfd(folder.get()), entry->d_name, F_OK, 0) != 0) {
        continue;  // the thread has ended
      }
      return std::nullopt;
    }
    for (const int pid : parse_pids(read_small_at(::dirfd(folder.get()), file.c_str()))) {
      children.push_back(pid);
    }
  }
  return children;
}

std::string name_of(int pid) {
  std::string name = read_small(proc_file(pid, "comm").c_str());
  if (name.ends_with('\n')) name.pop_back();
  return flatten_controls(to_utf8(name));
}

std::string variables_of(int pid) { return '\0' + read_small(proc_file(pid, "environ").c_str()); }

bool has_variable_like(int pid, std::string_view beginning) {
  return variables_of(pid).contains('\0' + std::string(beginning));
}

std::vector<int> numbers_of(int pid) {
  const std::string status = read_small(proc_file(pid, "status").c_str());
  constexpr std::string_view kName = "\nNSpid:";
  const size_t begin = status.find(kName);
  if (begin == std::string::npos) return {};
  std::string line = status.substr(begin + kName.size());
  line.resize(std::min(line.size(), line.find('\n')));
  std::ranges::replace(line, '\t', ' ');
  return parse_pids(line);
}

bool shows_variables(int pid) { return !read_small(proc_file(pid, "environ").c_str()).empty(); }

bool has_variable(int pid, std::string_view variable) {
  return has_variable_like(pid, std::string(variable) + '\0');
}

std::vector<int> parse_pids(std::string_view text) {
  std::vector<int> pids;
  int pid = 0;
  while (next_number(text, pid)) pids.push_back(pid);
  return pids;
}

int signal(const Member& member, int number) {
  const os::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, member.pid, 0)));
  if (!pidfd) return errno;
  const std::optional<Member> now = read_member(member.pid);
  if (!now || now->started != member.started) return ESRCH;
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0) == 0 ? 0 : errno;
}

}  // namespace helve::process
