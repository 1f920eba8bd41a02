#include "workspace/detail/script.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "base/time.h"
#include "os/files.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kFromFile = ". /proc/self/fd/3";
constexpr std::string_view kCloseFirst = "exec 3<&-; ";
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

std::vector<std::string> argv_of(std::string_view shell, std::string_view command) {
  const std::string name(shell.substr(shell.rfind('/') + 1));
  std::vector<std::string> argv{name};
  if (name == "bash") argv.insert(argv.end(), {"--noprofile", "--norc"});
  argv.insert(argv.end(), {"-c", std::string(command)});
  return argv;
}

Result<process::File> sealed(std::string_view command) {
  auto file =
      std::make_shared<os::UniqueFd>(::memfd_create("command", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  int error = *file ? 0 : errno;
  if (error == 0) error = os::write_all(file->get(), kCloseFirst);
  if (error == 0) error = os::write_all(file->get(), command);
  if (error == 0 && ::fcntl(file->get(), F_ADD_SEALS, kSeals) != 0) error = errno;
  if (error != 0) return refuse("process.busy", {{"what", os::errno_text(error)}});
  return file;
}

}  // namespace

Result<Script> script_of(std::string_view shell, std::string_view command) {
  if (command.size() > kMostCommand) {
    return refuse("bash.command_too_large", {{"bytes", std::to_string(command.size())},
                                             {"limit", std::to_string(kMostCommand)}});
  }
  if (command.size() <= kMostArgument) return Script{.argv = argv_of(shell, command)};
  auto file = sealed(command);
  if (!file) return std::unexpected(file.error());
  return Script{.argv = argv_of(shell, kFromFile), .file = *std::move(file)};
}

}  // namespace helve::workspace
