#pragma once

#include <vector>

#include "tla/model.h"
#include "tla/worker.h"

namespace txscope::tla {

/// A state as a trace shows it; `before` is the state before it, or null.
[[nodiscard]] TraceState trace_state(const Program& program, const Value* state,
                                     const Value* before);

/// Runs along fingerprints from an initial state and writes down the states.
[[nodiscard]] std::vector<TraceState> retrace(
    Worker& worker, const std::vector<std::uint64_t>& path);

}  // namespace txscope::tla
