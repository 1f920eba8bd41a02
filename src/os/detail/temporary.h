// os/detail/temporary.h
//
// A file of ours beside the one that it is to replace: `.helve-<16 hex>.tmp`, new, 0600, locked
// while it is written, so that remove_stale_temporaries leaves it alone. It goes with its owner
// unless it was renamed. Blocking; one thread at a time.
#pragma once

#include <sys/stat.h>

#include <span>
#include <string>
#include <string_view>

#include "os/fd.h"

namespace helve::os::detail {

class Temporary {
 public:
  explicit Temporary(int folder) : folder_(folder) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { remove(); }

  // 0 or an errno.
  int create(mode_t mode);
  void remove();

  // It has another name now, and stays.
  void renamed() { name_.clear(); }

  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }

 private:
  int folder_;
  std::string name_;
  UniqueFd fd_;
};

// "/proc/self/fd/N", for what takes no O_PATH descriptor.
std::string proc_path(int fd);

// Makes room before the first byte is written, where the file system can. 0 or an errno.
int reserve(int fd, std::size_t bytes, int mode);

// 0 or an errno.
int write_pieces(int fd, std::span<const std::string_view> pieces);

std::size_t total_size(std::span<const std::string_view> pieces);

// What of the old file cannot be given to the new one: a key behind "file.in_place.", or "".
// `old` is an O_PATH descriptor of it.
std::string copy_attributes(int old, const struct stat& old_status, int to);

// 0666 less the umask of this process, which is looked up once.
mode_t mode_of_new_files();

}  // namespace helve::os::detail
