// process/detail/tree.h
//
// All that one command has started. Known by its cgroup where there is one; else by the session of
// the leader, by descent and by the mark in the variables. The leader has to stay unreaped while a
// Tree is asked, so that its number means what it meant. Loop thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/detail/cgroup.h"
#include "process/detail/procfs.h"

namespace helve::process {

class Tree {
 public:
  Tree() = default;
  // `namespaced`: the leader is bubblewrap, and what it runs is in a PID namespace of its own.
  Tree(int leader, std::string mark, Cgroup cgroup, bool namespaced)
      : leader_(leader),
        mark_(std::move(mark)),
        cgroup_(std::move(cgroup)),
        namespaced_(namespaced) {}

  const std::string& mark() const { return mark_; }
  // WS-51, as data: "namespace", "cgroup", "subreaper" or "group".
  std::string_view containment() const;

  // To everything that lives now. What is forked at the same moment may be missed: ask again.
  void signal(int number);
  void kill();
  // Nothing that we are able to signal lives any more.
  bool empty();
  // One that lives, the leader apart; none: nothing is left. Cheap where nothing is: no search
  // through all processes.
  struct Survivor {
    std::optional<Member> member;
    bool unsure = false;  // one that does not show whose it is, for a moment: ask again
  };
  Survivor survivor();
  bool namespaced() const { return namespaced_; }
  std::vector<Member> shown() const;  // that live now, bubblewrap's own apart
  std::size_t count() const { return shown().size(); }
  bool out_of_memory() const { return cgroup_.out_of_memory(); }
  Cgroup release() { return std::move(cgroup_); }

 private:
  std::vector<Member> members() const;
  std::vector<Member> members_of_cgroup() const;
  std::vector<Member> members_by_search() const;
  void add_runaways(std::vector<Member>& found) const;
  bool owns(const Member& member) const;
  bool is_beyond_us(const Member& member) const;
  Survivor orphan();
  void stop_all();
  void chase();

  int leader_ = 0;
  std::string mark_;
  Cgroup cgroup_;
  bool namespaced_ = false;
  int unsure_ = 0;
  std::vector<Member> beyond_us_;  // EPERM: another user's by now
};

}  // namespace helve::process
