#pragma once

#include "tla/code/code.h"

namespace txscope::tla {

/// Whether a formula speaks of the next state, so that it is no state
/// predicate.  Code::is_primed says it too often: ENABLED A does not, whatever
/// A is, and A may be an argument, as in E(Next) with E(A) == ENABLED A.
///
/// Method.  Along calls, each definition once.  Arguments and names of LET are
/// not counted where what gets them has an ENABLED or asks for a parameter in
/// another state; if a prime is asked for after all, its evaluation says so.
[[nodiscard]] bool speaks_of_steps(const Code& code);

}  // namespace txscope::tla
