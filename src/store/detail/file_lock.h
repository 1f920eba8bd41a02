// store/detail/file_lock.h
//
// Whose turn it is, among all processes that use one database: open file description locks on a
// file beside it, which end with the process whatever happens. Who waits next has a place of its
// own, so that nobody can take two turns while another waits. One thread at a time.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <expected>
#include <stop_token>
#include <string>

#include "base/time.h"
#include "os/fd.h"

namespace helve::store {

class FileLock {
 public:
  FileLock() = default;  // none: everything is refused
  // Makes the file (0600) if there is none; the errno if that fails.
  static std::expected<FileLock, int> open(std::string path);

  // Waits until it is this process's turn to write; false: it was not before `latest`, or a stop
  // was asked for.
  bool take_turn(Clock::time_point latest, const std::stop_token& stop);
  void end_turn();

  // Says that this process uses the database, until the lock goes. True: nobody else does.
  bool enter();
  // The same, and keeps all others out. False: somebody else is in.
  bool enter_alone(Clock::time_point latest, const std::stop_token& stop);

 private:
  bool try_lock(off_t byte, int type) const;
  void unlock(off_t byte) const;
  bool wait_for(off_t byte, Clock::time_point latest, const std::stop_token& stop) const;
  bool is_gone() const;
  bool open_again();

  std::string path_;
  os::UniqueFd fd_;
  int presence_ = F_UNLCK;
};

}  // namespace helve::store
