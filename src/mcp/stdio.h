// mcp/stdio.h
//
// One client on standard input and output, a JSON-RPC message a line (up to 32 MiB). Takes both
// descriptors for itself, so that nothing but answers ever reaches the client (R1), reads no
// further while the client does not, and ends with it: at the end of input, when it cannot be
// written to, on TERM, INT and HUP, and when the parent process dies (R2). Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "mcp/server.h"
#include "os/loop.h"

namespace helve::mcp {

// Returns when the client is gone, `session` was ended and its calls have ended too, within 1 s.
// Once per process.
boost::asio::awaitable<void> serve_stdio(os::Loop& loop, Server& server,
                                         std::shared_ptr<tool::Session> session);

}  // namespace helve::mcp
