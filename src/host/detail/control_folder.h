// host/detail/control_folder.h
//
// The folder of control sockets, STATE/control. Sockets are reached through the folder's
// descriptor: a whole path may be longer than an address can be. Blocking; any thread.
#pragma once

#include <sys/un.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "os/fd.h"

namespace helve::host {

class ControlFolder {
 public:
  // Of the daemon: makes it. Refused as os::make_private_folder and file.unreadable.
  static Result<ControlFolder> make(const std::filesystem::path& state);
  // Of the command line; no folder: nothing is in it.
  explicit ControlFolder(const std::filesystem::path& state);

  // The sockets of daemons that live; those of dead ones are removed.
  std::vector<std::string> names() const;
  os::UniqueFd connect(const std::string& name) const;  // invalid: nobody listens

  // A listening socket under this name, from one moment to the next.
  os::UniqueFd listen(const std::string& name) const;
  void remove(const std::string& name) const;

 private:
  bool address(const std::string& name, sockaddr_un& into) const;

  std::filesystem::path folder_;
  os::UniqueFd fd_;
};

}  // namespace helve::host
