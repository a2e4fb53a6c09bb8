#pragma once

#include "smt/solver.h"
#include "verify/question.h"

namespace txscope::verify {

/// After a satisfiable check: a model of the same formulas whose inputs are
/// near zero, as far as a few further checks get.  People read these numbers.
[[nodiscard]] smt::Model with_small_inputs(Question& question,
                                           smt::Solver& solver,
                                           const Budget& budget);

}  // namespace txscope::verify
