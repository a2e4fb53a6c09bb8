#pragma once

#include <vector>

#include "model/answer.h"
#include "txscope/report.h"

namespace txscope::verb {

/// A finding per level and rule, then of what is asked of every application,
/// then of errors that are nobody's rule.
[[nodiscard]] std::vector<Finding> findings_of(
    const Workload& workload, const std::vector<Answer>& answers);

}  // namespace txscope::verb
