// workspace/detail/bash_answer.h
//
// What `bash` answers: a line of facts, the output within its bounds, how to go on. What is left
// out of it is in a file that `read` opens. Loop thread only.
#pragma once

#include <string>

#include "tool/tool.h"
#include "workspace/detail/shell_job.h"

namespace helve::workspace {

// As it is now, all of it: what comes while the answer is made is for bash_output (WS-44, WS-46).
// `note` is a line behind the first one, or "".
boost::asio::awaitable<tool::Answer> bash_answer(Workspace& workspace, tool::Session& session,
                                                 ShellJob& shell, const std::string& note);

}  // namespace helve::workspace
