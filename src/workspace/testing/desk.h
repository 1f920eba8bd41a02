// workspace/testing/desk.h
//
// Tests only: a workspace in a folder of its own with the tools `write` and `edit`, on a real loop.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "os/loop.h"
#include "tool/registry.h"
#include "tool/testing/run.h"
#include "workspace/knowledge.h"
#include "workspace/version.h"
#include "workspace/workspace.h"

namespace helve::workspace::testing {

namespace fs = std::filesystem;
using tool::testing::rule_of;

inline std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_bytes(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(fs::canonical(fs::temp_directory_path()) / ("helve-desk-" + random_hex(8))) {
    fs::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

using Started = std::shared_ptr<std::optional<tool::Answer>>;

class Desk {
 public:
  explicit Desk(Settings settings = {}) {
    settings.root = folder_.path() / "work";
    settings.state = folder_.path() / "state";
    fs::create_directories(settings.root);
    fs::create_directories(settings.state);
    workspace = std::make_shared<Workspace>(loop, settings);
    HELVE_CHECK(registry.add(write_tool(workspace)));
    HELVE_CHECK(registry.add(edit_tool(workspace)));
  }

  fs::path path(const std::string& name) const { return workspace->settings.root / name; }
  std::string bytes(const std::string& name) const { return bytes_of(path(name)); }
  void put(const std::string& name, std::string_view bytes) const { put_bytes(path(name), bytes); }
  // As `read` records what it has shown.
  void saw(const std::string& name, bool whole = true) {
    const std::string all = bytes(name);
    session->record<Knowledge>().saw(path(name),
                                     {.version = version_of(all), .whole = whole, .bytes = all});
  }

  Started start(const std::shared_ptr<tool::Session>& by, const std::string& tool, Json arguments) {
    auto out = std::make_shared<std::optional<tool::Answer>>();
    boost::asio::co_spawn(loop.context(),
                          registry.call(by, {.tool = tool, .arguments = std::move(arguments)}),
                          [out](std::exception_ptr error, tool::Answer answer) {
                            if (error) std::rethrow_exception(error);
                            *out = std::move(answer);
                          });
    return out;
  }
  void finish(const std::vector<Started>& all) {
    loop.context().restart();
    for (const Started& one : all) {
      while (!*one) HELVE_CHECK(loop.context().run_one() > 0);
    }
  }
  tool::Answer call(const std::shared_ptr<tool::Session>& by, const std::string& tool,
                    Json arguments) {
    const Started started = start(by, tool, std::move(arguments));
    finish({started});
    return **started;
  }
  tool::Answer call(const std::string& tool, Json arguments) {
    return call(session, tool, std::move(arguments));
  }
  tool::Answer edit(const std::string& path, const std::string& old_text,
                    const std::string& new_text, JsonObject more = {}) {
    return call("edit", edit_arguments(path, old_text, new_text, std::move(more)));
  }
  tool::Answer write(const std::string& path, const std::string& text, JsonObject more = {}) {
    more["path"] = path;
    more["text"] = text;
    return call("write", std::move(more));
  }
  static JsonObject edit_arguments(const std::string& path, const std::string& old_text,
                                   const std::string& new_text, JsonObject more = {}) {
    more["path"] = path;
    more["old"] = old_text;
    more["new"] = new_text;
    return more;
  }

 private:
  TemporaryFolder folder_;

 public:
  os::Loop loop;
  tool::Registry registry;
  std::shared_ptr<Workspace> workspace;
  std::shared_ptr<tool::Session> session = std::make_shared<tool::Session>();
};

// A field of the answer's facts for programs; null if there is none.
inline Json fact(const tool::Answer& answer, std::string_view name) {
  const Json* data = find(answer.meta, "io.helve/data");
  const Json* value = data == nullptr ? nullptr : find(*data, name);
  return value == nullptr ? Json(nullptr) : *value;
}

inline std::string first_line(const tool::Answer& answer) {
  return answer.text.substr(0, answer.text.find('\n'));
}

}  // namespace helve::workspace::testing
