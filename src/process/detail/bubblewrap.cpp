#include "process/detail/bubblewrap.h"

#include <algorithm>
#include <filesystem>

#include "base/texts.h"

namespace helve::process {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_normal().lexically_relative(folder.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

bool is_direct(const fs::path& path) { return path.lexically_normal().parent_path() == "/"; }

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A place directly below / that is not there yet can only be made in a root of our own, which shows
// everything that the real one has.
void add_root_of_our_own(Words& words) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/", ignored)) {
    const std::string path = entry.path().string();
    if (entry.is_symlink(ignored)) {
      add(words, {"--symlink", fs::read_symlink(entry.path(), ignored).string(), path});
    } else {
      add(words, {"--ro-bind-try", path, path});
    }
  }
}

bool needs_own_root(const policy::Confinement& confinement) {
  return confinement.bind && !is_there(confinement.bind->at) && is_direct(confinement.bind->at);
}

void add_root(Words& words, const policy::Confinement& confinement) {
  const bool free =
      std::ranges::find(confinement.writable, fs::path("/")) != confinement.writable.end();
  if (needs_own_root(confinement)) {
    add_root_of_our_own(words);
  } else {
    add(words, {free ? "--bind" : "--ro-bind", "/", "/"});
  }
  add(words, {"--dev", "/dev"});
  add(words, {"--proc", "/proc"});
}

// The folder where it runs and its program are seen even where they lie in the /tmp that is hidden.
void add_folders(Words& words, const policy::Command& command, const std::string& program) {
  const auto& writable = command.confinement.writable;
  const fs::path tmp = "/tmp";
  if (std::ranges::find(writable, tmp) == writable.end()) {
    add(words, {"--tmpfs", tmp});
    for (const fs::path& seen : {command.folder, fs::path(program)}) {
      if (is_below(seen, tmp)) add(words, {"--ro-bind-try", seen, seen});
    }
  }
  for (const fs::path& folder : writable) {
    if (folder != "/") add(words, {"--bind-try", folder, folder});
  }
  const auto& bind = command.confinement.bind;
  if (!bind) return;
  add(words, {"--ro-bind", bind->folder, bind->at});
  if (needs_own_root(command.confinement)) add(words, {"--remount-ro", "/"});
}

bool can_be_made(const fs::path& at) {
  return is_there(at) || is_direct(at) || is_below(at, "/tmp");
}

}  // namespace

Result<Words> wrapped(const policy::Command& command, const Wrapping& wrapping) {
  const policy::Confinement& confinement = command.confinement;
  if (confinement.bind && !can_be_made(confinement.bind->at)) {
    const std::string at = confinement.bind->at.string();
    return refuse("confine.unavailable",
                  {{"level", std::string(name_of(policy::Confine::kFull))},
                   {"missing", text("confine.missing.place", {{"place", at}})},
                   {"fix", text("confine.fix.place", {{"place", at}})}},
                  Json{{"missing", "place"}});
  }
  Words words = {wrapping.bubblewrap,
                 "--unshare-user",
                 "--unshare-pid",
                 "--unshare-ipc",
                 "--unshare-uts",
                 "--cap-drop",
                 "ALL"};
  if (!confinement.network) words.push_back("--unshare-net");
  if (wrapping.die_with_parent) words.push_back("--die-with-parent");
  add_root(words, confinement);
  add_folders(words, command, wrapping.program);
  add(words, {"--chdir", command.folder.empty() ? "." : command.folder.string()});
  if (wrapping.filter >= 0) add(words, {"--seccomp", std::to_string(wrapping.filter)});
  add(words, {"--", wrapping.program});
  if (!command.argv.empty())
    words.insert(words.end(), command.argv.begin() + 1, command.argv.end());
  return words;
}

}  // namespace helve::process
