#include "process/detail/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.h"
#include "os/fd.h"
#include "os/files.h"

namespace helve::process {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::string search_path(const policy::Command& command) {
  if (command.variables) {
    const auto own = command.variables->find("PATH");
    return own == command.variables->end() ? std::string(kDefaultPath) : own->second;
  }
  const char* path = std::getenv("PATH");
  return path ? path : std::string(kDefaultPath);
}

// 0: it can be executed; else the errno that a shell would remember.
int executable(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return errno;
  if (!S_ISREG(facts.st_mode)) return S_ISDIR(facts.st_mode) ? EISDIR : EACCES;
  return ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

std::unexpected<Refusal> not_executable(const std::string& program, int error) {
  return refuse("process.not_executable",
                {{"program", program}, {"reason", os::errno_text(error)}});
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

std::string in_folder(const policy::Command& command, std::string_view part) {
  return part.starts_with('/') ? std::string(part) : (command.folder / part).string();
}

}  // namespace

Result<std::string> find_program(const policy::Command& command) {
  const std::string& name = command.program;
  if (name.find('/') != std::string::npos) {
    std::string file = in_folder(command, name);
    const int error = executable(file);
    if (error == 0) return file;
    if (!is_missing(error)) return not_executable(name, error);
    return refuse("process.file_missing", {{"file", file}});
  }
  const std::string path = search_path(command);
  int seen = 0;  // the first reason better than "not there"
  for (const std::string_view part : split(path, ':')) {
    if (name.empty()) break;
    std::string file = in_folder(command, part.empty() ? "." : part) + '/' + name;
    const int error = executable(file);
    if (error == 0) return file;
    if (!is_missing(error) && error != EISDIR && seen == 0) seen = error;
  }
  if (seen != 0) return not_executable(name, seen);
  return refuse("process.not_found", {{"program", name}, {"path", path}});
}

std::string interpreter_of(const std::string& file) {
  const os::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  char head[256];
  const ssize_t got = fd ? ::read(fd.get(), head, sizeof head) : 0;
  const std::string_view line(head, got > 0 ? static_cast<size_t>(got) : 0);
  if (!line.starts_with("#!")) return {};
  const size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin, line.find_first_of(" \t\n", begin) - begin));
}

Refusal exec_refusal(const policy::Command& command, const std::string& file, int error) {
  const std::string& program = command.program;
  if (error == E2BIG) return refuse("process.too_long", {{"program", program}}).error();
  if (error == ENOENT) {
    const std::string interpreter = interpreter_of(file);
    return refuse("process.no_interpreter",
                  {{"program", program}, {"interpreter", interpreter.empty() ? "?" : interpreter}})
        .error();
  }
  return not_executable(program, error).error();
}

}  // namespace helve::process
