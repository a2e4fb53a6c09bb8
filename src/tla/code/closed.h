#pragma once

#include <deque>

#include "tla/code/code.h"

namespace txscope::tla {

/// Finds code that iterates or builds a value, and whose value can never
/// change: it reads no variable, no chance, and nothing that is bound around
/// it, such as `{x \in {-1, 0, 1} \X {-1, 0, 1} : x /= <<0, 0>>}` in the LET of
/// an operator with parameters.  The evaluator keeps its first value.  Also
/// finds loops that nothing but a few bound names can change; of these it keeps
/// the values for some values of those.
/// After analyse() has found what code reads.
void mark_closed(std::deque<Code>& codes);

}  // namespace txscope::tla
