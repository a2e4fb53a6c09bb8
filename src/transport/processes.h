#pragma once

#include <functional>

#include "transport/transport.h"

namespace txscope::transport {

/// More would need more descriptors than a process may have.
inline constexpr unsigned kMostProcesses = 64;

/// Runs `body` as every rank of a group of processes that are forked here and
/// joined by socket pairs.  Rank 0 is the calling process; the others end with
/// `body`, and with the thread that calls this.  Returns once all have ended.
///   - What rank 0 throws is thrown.  Lost says which process ended, and how.
///   - To be called where no other thread holds a lock that `body` needs.
void run_processes(unsigned size, const std::function<void(Transport&)>& body);

}  // namespace txscope::transport
