#pragma once

#include "base/budget.h"
#include "model/program.h"
#include "robust/result.h"

namespace txscope::robust {

/// Whether the transactions of a `.txn` program are robust against snapshot
/// isolation (trace), in any number of sessions, with any parameters, on any
/// state.
///
/// Method.  The proof (prover.h).  Where it leaves a cycle, small clients of
/// three transactions with parameters that the program names are searched, on
/// its own initial state: one that runs into a cycle makes it "not robust".
[[nodiscard]] RobustResult prove_program(const Program& program,
                                         RobustResult asked,
                                         std::uint64_t loop_bound,
                                         const Budget& budget);

}  // namespace txscope::robust
