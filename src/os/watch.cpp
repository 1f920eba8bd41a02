#include "os/watch.h"

namespace helve::os {

int Watch::open(UniqueFd fd) {
  close();
  boost::system::error_code error;
  stream_.assign(fd.get(), error);
  if (error) return error.value();
  fd_ = fd.release();
  return 0;
}

UniqueFd Watch::release() {
  if (!stream_.is_open()) return {};
  // Asio's release() is EPOLL_CTL_DEL; its close() leaves that to the kernel, which only does it
  // once nobody else holds the open file.
  stream_.release();
  return UniqueFd(std::exchange(fd_, -1));
}

}  // namespace helve::os
