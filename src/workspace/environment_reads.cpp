#include "workspace/environment_reads.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/texts.h"
#include "workspace/version.h"
#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMostNamed = 5, kMostOfName = 200;

// One comparison, as its worker and its coroutine share it.
struct Comparison {
  const Paths& paths;
  std::map<std::string, EnvironmentReads::Item> items;
  std::map<std::string, std::string> others;  // the versions of those that differ; "": gone
};

// Its version; "" if it is gone. What cannot be read just now is taken as it was.
std::string version_now(const Paths& paths, const std::string& path,
                        const EnvironmentReads::Item& item) {
  const auto place = paths.resolve(path);
  if (!place) return item.version;
  const auto opened = paths.open(*place);
  if (!opened) return opened.error().rule == "file.not_found" ? "" : item.version;
  return version_of_file(opened->fd.get(), opened->status, item.shown).value_or(item.version);
}

void compare(Comparison& comparison) {
  for (const auto& [path, item] : comparison.items) {
    std::string now = version_now(comparison.paths, path, item);
    if (now != item.version) comparison.others.emplace(path, std::move(now));
  }
}

std::string shortened(const std::string& name) {
  return name.size() <= kMostOfName ? name : name.substr(0, utf8_floor(name, kMostOfName)) + "...";
}

std::string line_of(const Comparison& comparison, const std::string& revision) {
  std::vector<std::string> names;
  for (const auto& [path, version] : comparison.others) {
    if (names.size() == kMostNamed) break;
    const std::string name = shortened(comparison.items.at(path).shown);
    names.push_back(version.empty() ? text("env.news.gone", {{"name", name}}) : name);
  }
  std::string list = join(names, ", ");
  const std::size_t more = comparison.others.size() - names.size();
  if (more > 0) list = text("env.news.more", {{"names", list}, {"count", std::to_string(more)}});
  return text("env.news", {{"revision", revision}, {"names", list}});
}

}  // namespace

void EnvironmentReads::saw(const Place& place, const std::string& version, const std::string& now) {
  items[place.path.string()] = {.shown = place.shown, .revision = now, .version = version};
  if (items.size() > kMostItems) items.erase(items.begin());
}

asio::awaitable<std::string> environment_news(Workspace& workspace, tool::Session& session,
                                              std::string revision) {
  if (!session.remembers() || revision.empty()) co_return "";
  auto& reads = session.record<EnvironmentReads>();
  const bool first = reads.revision.empty();
  if (std::exchange(reads.revision, revision) == revision || first) co_return "";
  const auto work = std::make_shared<Comparison>(Comparison{workspace.paths, reads.items, {}});
  co_await workspace.workers.run(session, [work] { compare(*work); });
  for (const auto& [path, version] : work->others) {
    const auto item = reads.items.find(path);
    if (item != reads.items.end() && item->second == work->items.at(path)) {
      item->second.version = version;
    }
  }
  co_return work->others.empty() ? "" : line_of(*work, revision);
}

}  // namespace helve::workspace
