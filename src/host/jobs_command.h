// host/jobs_command.h
//
// `helve jobs`: the jobs of the daemons that serve this root, over their control sockets
// (host/control.h). Main thread only; blocking.
#pragma once

#include <string>
#include <vector>

#include "host/console.h"
#include "host/places.h"

namespace helve::host {

struct JobsCommand {
  std::vector<std::string> words;  // none, "list", "follow ID" or "stop ID"
  Locations locations;
  bool json = false;
};

// Refused: usage.jobs {words}, jobs.no_daemon {root}, jobs.unknown {job}, jobs.gone {job}, and what
// find_root refuses.
int jobs_command(const JobsCommand& command, Console& console, const Surroundings& around);

}  // namespace helve::host
