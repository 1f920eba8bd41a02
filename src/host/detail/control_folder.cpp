#include "host/detail/control_folder.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/files.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "control";
constexpr int kBacklog = 16;

os::UniqueFd new_socket(int more = 0) {
  return os::UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | more, 0));
}

}  // namespace

ControlFolder::ControlFolder(const fs::path& state)
    : folder_(state / kFolder),
      fd_(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) {}

Result<ControlFolder> ControlFolder::make(const fs::path& state) {
  const fs::path folder = state / kFolder;
  if (auto made = os::make_private_folder(folder); !made) return std::unexpected(made.error());
  ControlFolder opened(state);
  if (opened.fd_) return opened;
  return refuse("file.unreadable", {{"file", folder.string()}, {"reason", os::errno_text(errno)}});
}

bool ControlFolder::address(const std::string& name, sockaddr_un& into) const {
  const std::string path = "/proc/self/fd/" + std::to_string(fd_.get()) + '/' + name;
  if (!fd_ || path.size() >= sizeof into.sun_path) return false;
  into = {.sun_family = AF_UNIX, .sun_path = {}};
  std::ranges::copy(path, std::begin(into.sun_path));
  return true;
}

std::vector<std::string> ControlFolder::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (!name.ends_with(".sock") || name.starts_with('.')) continue;
    if (connect(name)) {
      names.push_back(std::move(name));
    } else if (errno == ECONNREFUSED) {
      remove(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

os::UniqueFd ControlFolder::connect(const std::string& name) const {
  sockaddr_un to{};
  os::UniqueFd socket = new_socket();
  if (!socket || !address(name, to)) return {};
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0)
    return socket;
  return {};
}

// It listens before it has its name: whoever finds it can connect.
os::UniqueFd ControlFolder::listen(const std::string& name) const {
  const std::string before = '.' + name;
  sockaddr_un at{};
  os::UniqueFd socket = new_socket(SOCK_NONBLOCK);
  if (!socket || !address(before, at)) return {};
  remove(before);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return {};
  if (::listen(socket.get(), kBacklog) == 0 &&
      ::renameat(fd_.get(), before.c_str(), fd_.get(), name.c_str()) == 0) {
    return socket;
  }
  remove(before);
  return {};
}

void ControlFolder::remove(const std::string& name) const {
  ::unlinkat(fd_.get(), name.c_str(), 0);
}

}  // namespace helve::host
