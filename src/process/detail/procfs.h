// process/detail/procfs.h
//
// What /proc says about processes. A number alone is never trusted: a Member is a number and a
// start time, and `signal` holds a pidfd while it compares them again. Blocking, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::process {

struct Member {
  int pid = 0, parent = 0, session = 0, group = 0;
  char state = '?';
  std::uint64_t started = 0;  // ticks since boot
  bool gone() const { return state == 'Z' || state == 'X'; }
};

std::optional<Member> read_member(int pid);

// One line of /proc/PID/stat; nullopt if it is none.
std::optional<Member> parse_stat(std::string_view line);

// Every process that is not a zombie and that we may look at.
std::vector<Member> all_members();

// What it is called, as one line of text; "" if it is gone.
std::string name_of(int pid);

// The variables that it was started with, a NUL before and behind each; a single NUL if it shows
// none.
std::string variables_of(int pid);
// True if they hold exactly this "NAME=value".
bool has_variable(int pid, std::string_view variable);
// The same for any variable that begins so.
bool has_variable_like(int pid, std::string_view beginning);

// Its numbers from our PID namespace down to its own.
std::vector<int> numbers_of(int pid);

// False also for a moment while it becomes another program or ends.
bool shows_variables(int pid);

// Of all our threads; nullopt: this kernel does not list them.
std::optional<std::vector<int>> own_children();

// The numbers in a file of one number per line (cgroup.procs, children), or separated by blanks.
std::vector<int> parse_pids(std::string_view text);

// The whole of a small file of the kernel's; "" if it cannot be read.
std::string read_small(const char* file);
std::string read_small_at(int folder, const char* file);

// 0, or the errno: ESRCH if it is gone or its number belongs to another by now.
int signal(const Member& member, int number);

}  // namespace helve::process
