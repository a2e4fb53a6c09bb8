#pragma once

#include <vector>

#include "base/budget.h"
#include "check/strong/serial_script.h"

namespace txscope {

/// When each member of a script probably ran, as its place among all of them,
/// if nobody wrote down times; ascending within each session.  Empty if that
/// would take too long.
///
/// Method.  At first every session is spread evenly over the run.  Then each in
/// turn is laid anew over the others: of all ways to place its transactions,
/// in their order and each within a window around where it was, dynamic
/// programming finds one in which most reads, its own and the others', see
/// what they saw.  The windows shrink from sweep to sweep.  A read that is
/// still wrong after a sweep counts more in the next, so that it does not stay
/// the price of others.
///
/// Only a guess: whoever uses it has to try it.  Cost per sweep: sessions times
/// accesses, and transactions times window.
[[nodiscard]] std::vector<double> guess_times(const SerialScript& script,
                                              const Budget& budget);

}  // namespace txscope
