#include "workspace/paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/texts.h"
#include "os/beneath.h"
#include "workspace/detail/names.h"
#include "workspace/detail/protected.h"
#include "workspace/detail/roots.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMostBytes = 4096, kMostOfPart = 255;

std::string as_shown(std::string_view text) { return flatten_controls(to_utf8(text)); }

std::string shown_below(std::string_view path, const std::filesystem::path& root) {
  const std::string folder = root.string();
  if (!os::is_below(path, folder)) return as_shown(path);
  const std::size_t skipped = folder == "/" ? 1 : folder.size() + 1;
  return path.size() < skipped ? "." : as_shown(path.substr(skipped));
}

bool is_too_long(std::string_view path) {
  if (path.size() > kMostBytes) return true;
  return std::ranges::any_of(split(path, '/'),
                             [](std::string_view part) { return part.size() > kMostOfPart; });
}

std::string kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFIFO:
      return text("file.kind.fifo");
    case S_IFSOCK:
      return text("file.kind.socket");
    case S_IFCHR:
    case S_IFBLK:
      return text("file.kind.device");
    default:
      return text("file.kind.other");
  }
}

JsonArray json_of(const std::vector<std::string>& names) {
  JsonArray list;
  for (const std::string& name : names) list.emplace_back(as_shown(name));
  return list;
}

std::unexpected<Refusal> refuse_folder(int folder, const std::string& shown) {
  constexpr std::size_t kMostShown = 40;
  std::vector<std::string> names = detail::names_in(folder);
  const std::size_t total = names.size();
  if (total > kMostShown) names.resize(kMostShown);
  std::string entries;
  if (!names.empty()) entries = text("file.entries", {{"names", as_shown(join(names, ", "))}});
  if (total > kMostShown) entries += text("file.entries_more");
  return refuse("file.is_directory", {{"path", shown}, {"entries", entries}},
                JsonObject{{"entries", json_of(names)}});
}

std::unexpected<Refusal> refuse_outside(const std::string& shown, const detail::Roots& roots) {
  return refuse("path.outside", {{"path", shown}, {"roots", roots.listed()}});
}

std::unexpected<Refusal> refuse_configuration(const Place& place) {
  return refuse("path.configuration", {{"path", place.shown}});
}

// The object behind an O_PATH descriptor, if it is a regular file. It is this very object that is
// opened again, whatever its name means by now.
Result<Opened> open_regular(int there, const std::string& shown) {
  struct stat status{};
  if (::fstat(there, &status) != 0) return std::unexpected(os::errno_refusal(errno, shown));
  if (S_ISDIR(status.st_mode)) return refuse_folder(there, shown);
  if (!S_ISREG(status.st_mode)) {
    return refuse("file.special", {{"path", shown}, {"kind", kind_of(status.st_mode)}});
  }
  const std::string again = "/proc/self/fd/" + std::to_string(there);
  Opened opened{os::UniqueFd(::open(again.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
                {}};
  if (!opened.fd || ::fstat(opened.fd.get(), &opened.status) != 0) {
    return std::unexpected(os::errno_refusal(errno, shown));
  }
  return opened;
}

}  // namespace

struct Paths::State {
  State(const Settings& by, bool use_openat2)
      : root(by.root.lexically_normal()),
        reach(by.reach),
        configuration(by.configuration),
        environment(by.environment),
        openat2(use_openat2),
        roots(by) {}

  std::unexpected<Refusal> refuse_missing(const Place& place, int folder,
                                          const std::string& folder_path,
                                          const std::string& name) const;
  std::unexpected<Refusal> refuse_stopped(const Place& place, const os::Stopped& stopped) const;
  void remove_stale(int folder);

  const std::filesystem::path root;
  const Reach reach;
  const std::vector<std::filesystem::path> configuration;
  const std::optional<EnvironmentFolder> environment;
  const bool openat2;
  const detail::Roots roots;

  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> cleaned;  // folders, by mutex
};

std::unexpected<Refusal> Paths::State::refuse_missing(const Place& place, int folder,
                                                      const std::string& folder_path,
                                                      const std::string& name) const {
  const std::string missing = os::normal_path(folder_path + "/" + name);
  const std::string part = shown_below(missing, root);
  const std::vector<std::string> near = detail::near_names(detail::names_in(folder), name);
  Texts args = {{"path", place.shown}, {"missing", ""}, {"near", ""}};
  if (part != place.shown && !place.in_environment) {
    args[1].second = text("file.missing_part", {{"part", part}});
  }
  if (!near.empty()) {
    args[2].second = text("file.near_names", {{"names", as_shown(join(near, ", "))}});
  }
  return refuse("file.not_found", std::move(args),
                JsonObject{{"missing", as_shown(name)}, {"near", json_of(near)}});
}

std::unexpected<Refusal> Paths::State::refuse_stopped(const Place& place,
                                                      const os::Stopped& stopped) const {
  if (stopped.why == os::Stopped::Why::kOutside) return refuse_outside(place.shown, roots);
  if (stopped.why == os::Stopped::Why::kForbidden) return refuse_configuration(place);
  if (stopped.error == ENOTDIR && stopped.folder) {
    const std::string part = shown_below(os::normal_path(stopped.path + "/" + stopped.name), root);
    return refuse("file.not_found", {{"path", place.shown},
                                     {"missing", text("file.not_a_folder", {{"part", part}})},
                                     {"near", ""}});
  }
  if (stopped.error == ENOENT && stopped.folder) {
    return refuse_missing(place, stopped.folder.get(), stopped.path, stopped.name);
  }
  return std::unexpected(os::errno_refusal(stopped.error, place.shown));
}

// What a kill left behind is cleared away when its folder is first written to.
void Paths::State::remove_stale(int folder) {
  constexpr std::size_t kMostKnown = 10'000;
  struct stat status{};
  if (::fstat(folder, &status) != 0) return;
  {
    const std::lock_guard lock(mutex);
    if (cleaned.size() > kMostKnown) cleaned.clear();
    if (!cleaned.emplace(status.st_dev, status.st_ino).second) return;
  }
  os::remove_stale_temporaries(folder);
}

Paths::Paths(const Settings& settings, bool use_openat2)
    : state_(std::make_unique<State>(settings, use_openat2)) {}
Paths::~Paths() = default;

Result<Place> Paths::resolve(std::string_view path) const {
  const std::string given = as_shown(path.substr(0, std::min<std::size_t>(path.size(), 200)));
  if (path.empty()) return refuse("path.empty");
  if (path.contains('\0')) return refuse("path.nul", {{"path", given}});
  if (is_too_long(path)) return refuse("path.too_long", {{"path", given}});
  if (path == "~" || path.starts_with("~/")) return refuse("path.tilde", {{"path", given}});
  std::string whole(path);
  if (!path.starts_with('/')) whole = state_->root.string() + "/" + whole;
  whole = os::normal_path(whole);
  Place place{.path = whole, .shown = shown_below(whole, state_->root)};
  place.in_environment = state_->environment && os::is_below(whole, state_->environment->prefix);
  if (place.in_environment) {
    place.shown = as_shown(whole);
  } else if (!state_->roots.covers(whole)) {
    return refuse_outside(place.shown, state_->roots);
  }
  return place;
}

Result<Opened> Paths::open(const Place& place) const {
  Result<detail::Roots::Start> start = state_->roots.start(place);
  if (!start) return std::unexpected(start.error());
  if (state_->openat2) {
    const bool anywhere = state_->reach == Reach::kOpen && !place.in_environment;
    const os::UniqueFd there = anywhere ? os::open_beneath(nullptr, place.path.string())
                                        : os::open_beneath(&start->root(), start->below);
    if (there) return open_regular(there.get(), place.shown);
  }
  // Also to learn where it failed.
  const auto found =
      os::walk({.roots = start->roots, .from = &start->root(), .below = start->below});
  if (!found) return state_->refuse_stopped(place, found.error());
  if (found->there) return open_regular(found->there.get(), place.shown);
  const std::string folder = std::filesystem::path(found->path).parent_path().string();
  return state_->refuse_missing(place, found->folder.get(), folder, found->name);
}

Result<Target> Paths::target(const Place& place, bool create_parents) const {
  if (place.in_environment) return refuse("env.readonly_path", {{"path", place.shown}});
  const detail::Protected forbidden(state_->configuration);
  if (forbidden.covers(place.path.string())) return refuse_configuration(place);
  Result<detail::Roots::Start> start = state_->roots.start(place);
  if (!start) return std::unexpected(start.error());
  const auto allowed = [&](const os::Walk::Step& step) {
    return !forbidden.covers(step) && !forbidden.covers(step.folder_path + "/" + step.name);
  };
  auto found = os::walk({.roots = start->roots,
                         .from = &start->root(),
                         .below = start->below,
                         .create_folders = create_parents,
                         .allowed = allowed});
  if (!found) return state_->refuse_stopped(place, found.error());
  if (forbidden.covers(found->path)) {
    found->made.remove(found->folder.get());
    return refuse_configuration(place);
  }
  if (!found->folder) return refuse_folder(found->there.get(), place.shown);
  Target target{.folder = std::move(found->folder),
                .name = std::move(found->name),
                .path = std::move(found->path),
                .made = std::move(found->made)};
  if (found->there) {
    Result<Opened> opened = open_regular(found->there.get(), place.shown);
    if (!opened) return std::unexpected(opened.error());
    if (forbidden.has_link_to(opened->status)) return refuse_configuration(place);
    target.there = *std::move(opened);
  }
  state_->remove_stale(target.folder.get());
  return target;
}

}  // namespace helve::workspace
