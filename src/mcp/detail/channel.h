// mcp/detail/channel.h
//
// Standard input and output, taken over: whatever they are (pipe, socket, file, terminal), reading
// and writing them never blocks, and no flag changes on an open file that other processes share.
// Afterwards descriptor 0 is /dev/null and descriptor 1 is standard error, so that neither a
// library nor a child can reach the client (R1). Loop thread only.
#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

#include "os/fd.h"

namespace helve::mcp {

struct Channel {
  enum class Way {
    kPlain,       // a regular file, or an open file of our own with O_NONBLOCK
    kSocket,      // asks for each transfer not to block
    kAskedFirst,  // shared with others: poll() before each transfer
  };
  os::UniqueFd fd;  // none if there was none
  Way way = Way::kPlain;
};

Channel own_channel(int fd, bool for_writing);

struct Stdio {
  Channel in, out;
};
Stdio take_stdio();

// As read() and write(): -1 with EAGAIN where they would block. `fd` is the channel's.
ssize_t read_some(int fd, Channel::Way way, std::span<char> space);
ssize_t write_some(int fd, Channel::Way way, std::string_view bytes);

// Nobody will write to this descriptor any more, however much is still unread in it.
bool hung_up(int fd);

}  // namespace helve::mcp
