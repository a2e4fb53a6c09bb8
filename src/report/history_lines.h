#pragma once

#include <string>

#include "explore/explore.h"

namespace txscope::report {

/// A history as lines of txscope's own format: a header, then a transaction
/// each.  Every written value is a version of its own; "values" has the
/// program's values in the same order.
[[nodiscard]] std::string history_lines(
    const Workload& workload, const exec::Script& script,
    const explore::ExploredHistory& history);

}  // namespace txscope::report
