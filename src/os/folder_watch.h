// os/folder_watch.h
//
// Says when one of some files has changed: written and closed, replaced by an editor's rename,
// made, deleted, or gone with its folder. Folders need not exist yet, and links are followed. What
// the kernel tells is only a hint to look again, so that nothing is missed and nothing is told
// twice. Where inotify is not to be had, it looks every two seconds. Changes that another computer
// makes on a network file system may go unseen. Loop thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "base/time.h"
#include "os/loop.h"

namespace helve::os {

struct WatchSpot {
  std::filesystem::path folder;  // absolute
  std::string name;              // of a file in it; "*.json": of all that end so
};

struct WatchSettings {
  Duration settle = std::chrono::milliseconds(100);  // the files must stay as they are for so long
  Duration poll = std::chrono::seconds(2);
  bool inotify = true;
};

class FolderWatch {
 public:
  // `changed` is called from the loop, once for changes that come together; never after the
  // destructor. It may end this watch. `trouble` is told once if it has to poll:
  // watch.unavailable {reason}.
  FolderWatch(Loop& loop, std::vector<WatchSpot> spots, std::function<void()> changed,
              std::function<void(const Refusal&)> trouble = {}, WatchSettings settings = {});
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  bool polls() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::os
