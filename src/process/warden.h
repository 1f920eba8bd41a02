// process/warden.h
//
// For a daemon: one small process beside us that outlives us by a moment. It holds the end of a
// pipe; when we die, however, it ends all that our commands have left, by cgroup and by mark, and
// goes. Without it a host that is killed outright leaves its commands running.
#pragma once

namespace helve::process {

// Once per process; later calls do nothing. Best at the start, while we are small and have no other
// threads. False: it could not be started (no process or descriptor free).
bool start_warden();

// Another one, if the one that was started has gone. Loop thread only.
void keep_warden();

}  // namespace helve::process
