// process/detail/children.h
//
// Which children of this process belong to a Process. The rest are orphans: we are the subreaper of
// all that our commands leave behind, so their zombies are ours to collect. Nothing else in this
// process may have children of its own. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

namespace helve::process {

class Children {
 public:
  static Children& all();

  // Held from the clone until `own`, so that no other thread takes the new child for an orphan.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  void own(int pid, const std::unique_lock<std::mutex>& held);
  void disown(int pid);  // reaped, or left to reap_orphans

  // A leader that stays a zombie for long, since its tree lives on: others are reaped past it.
  void keep(int pid);

  void reap_orphans();

  // Children of ours that belong to no Process, zombies among them; nullopt: /proc does not say.
  // Loop thread only: a list that is read while another thread reaps may lack one.
  std::optional<std::vector<int>> orphans();
  // Whether what our commands leave behind becomes ours.
  bool subreaper() const { return subreaper_; }

 private:
  Children();
  void reap_past_the_kept();
  void collect(int pid);
  std::mutex mutex_;
  bool subreaper_ = false;
  struct Owned;
  Owned& owned_;
};

}  // namespace helve::process
