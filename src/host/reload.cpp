#include "host/reload.h"

#include "base/texts.h"
#include "host/problems.h"

namespace helve::host {

namespace fs = std::filesystem;

Locations pinned(const Locations& locations, const Surroundings& around) {
  if (!locations.config.empty() || !locations.root.empty()) return locations;
  const fs::path project = project_file(locations, around);
  return {.root = project.empty() ? around.cwd : project.parent_path()};
}

std::vector<os::WatchSpot> spots_of(const Locations& locations, const Surroundings& around) {
  const Locations fixed = pinned(locations, around);
  const bool named = !fixed.config.empty();
  const fs::path project =
      named ? absolute(fixed.config, around) : absolute(fixed.root, around) / kProjectFile;
  std::vector<os::WatchSpot> spots = {{project.parent_path(), project.filename().string()},
                                      {project.parent_path() / kRecipeFolder, "*.json"}};
  const fs::path user = user_file(around);
  if (!named && !user.empty()) spots.push_back({user.parent_path(), user.filename().string()});
  return spots;
}

// Outlives the Reload while the pool reads for it.
struct Reload::State : std::enable_shared_from_this<State> {
  State(os::Loop& its_loop, const Locations& its_locations, Surroundings surroundings,
        Console& its_console, std::function<void(Config)> callback)
      : loop(its_loop),
        locations(pinned(its_locations, surroundings)),
        around(std::move(surroundings)),
        console(its_console),
        good(std::move(callback)) {}

  void changed();
  boost::asio::awaitable<void> read();
  void judge(Config config, const Result<void>& root);
  void report(const Config& config) const;

  os::Loop& loop;
  const Locations locations;
  const Surroundings around;
  Console& console;
  const std::function<void(Config)> good;
  std::unique_ptr<os::FolderWatch> watch;  // null: the Reload is gone
  bool reading = false, again = false;
};

void Reload::State::changed() {
  again = true;
  if (reading) return;
  reading = true;
  loop.spawn([self = shared_from_this()] { return self->read(); });
}

// What changes while it reads is read once more.
boost::asio::awaitable<void> Reload::State::read() {
  while (again && watch) {
    again = false;
    Config config;
    Result<void> root;
    co_await loop.on_pool([&] {
      root = check_root(locations, around);
      config = load(locations, around);
    });
    if (!again && watch) judge(std::move(config), root);
  }
  reading = false;
}

void Reload::State::judge(Config config, const Result<void>& root) {
  if (!root) {
    print_refusal(console, root.error());
  } else if (config.has_errors()) {
    report(config);
  } else {
    console.err << text("reload.done", {{"tools", counted("tools", config.tools.size())}}) << '\n'
                << std::flush;
    good(std::move(config));
    return;
  }
  console.err << text("reload.kept") << '\n' << std::flush;
}

void Reload::State::report(const Config& config) const {
  for (const Problem& problem : config.problems) {
    if (problem.is_error()) console.err << problem_text(problem, around, console.color_err);
  }
}

Reload::Reload(os::Loop& loop, const Locations& locations, Surroundings around, Console& console,
               std::function<void(Config)> good, os::WatchSettings settings)
    : state_(
          std::make_shared<State>(loop, locations, std::move(around), console, std::move(good))) {
  State* const state = state_.get();  // owns the watch, so that it is there whenever it is told
  state->watch = std::make_unique<os::FolderWatch>(
      loop, spots_of(state->locations, state->around), [state] { state->changed(); },
      [state](const Refusal& why) { print_refusal(state->console, why); }, settings);
}

Reload::~Reload() { state_->watch.reset(); }

}  // namespace helve::host
