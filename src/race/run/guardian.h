#pragma once

#include <sys/types.h>

namespace txscope::race {

// However this process ends (a second Ctrl-C, SIGKILL), the commands that it
// has started end, too: a shell of ours waits for the end of a pipe that only
// we hold open, and then ends the groups that it was told of.

/// A group of processes that must not outlive us.
void guard_group(pid_t group);
/// It has ended by itself, or by us.
void release_group(pid_t group);

}  // namespace txscope::race
