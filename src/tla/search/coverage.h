#pragma once

#include <span>

#include "tla/model.h"
#include "tla/search/worker.h"

namespace txscope::tla {

/// How often each action was taken and each line of a formula evaluated.
///
/// A formula is what has to be true or false: the parts of a conjunction, a
/// disjunction, a quantifier, a condition.  A line has the count of the formula
/// that begins there, the largest if several do; lines of formulas that were
/// never evaluated are listed with 0.
[[nodiscard]] ModelCoverage coverage(
    std::span<const std::unique_ptr<Worker>> workers);

}  // namespace txscope::tla
