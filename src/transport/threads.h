#pragma once

#include <functional>

#include "transport/transport.h"

namespace txscope::transport {

/// Runs `body` as every rank of a group of threads, rank 0 in the calling one,
/// and returns once all have ended.  What rank 0 throws is thrown; what others
/// throw ends them, and the others get to know by Lost.
void run_threads(unsigned size, const std::function<void(Transport&)>& body);

}  // namespace txscope::transport
