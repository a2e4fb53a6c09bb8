#pragma once

#include "tla/model.h"
#include "tla/liveness/state_graph.h"

namespace txscope::tla {

/// Every reachable state and step, written down.  Explores anew, without
/// symmetry.  Throws Fault, and Stopped when the budget ends.
[[nodiscard]] ModelGraph dump_graph(Worker& worker, const Budget& budget);

}  // namespace txscope::tla
