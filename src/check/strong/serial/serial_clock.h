#pragma once

#include <vector>

#include "base/budget.h"
#include "check/strong/serial/serial_script.h"

namespace txscope::check {

/// When each member of a script probably ran, as its place among all of them;
/// ascending within each session.
struct GuessedTimes {
  std::vector<double> times;    ///< by member; empty if it would take too long
  std::size_t wrong_reads = 0;  ///< that do not see what they saw
};

/// Guesses times if nobody wrote them down.
///
/// Method.  At first every session is spread evenly over the run.  Then each in
/// turn is laid anew over the others: of all ways to place its transactions,
/// in their order and each within a window around where it was, dynamic
/// programming finds one in which most reads, its own and the others', see
/// what they saw.  The windows shrink from sweep to sweep.  A read that is
/// still wrong after a sweep counts more in the next, so that it does not stay
/// the price of others, and every write that stands between it and the version
/// it wants has to pay: often there are two, and neither gains by moving alone.
/// The last wrong reads are mended by sweeps over the sessions that are in
/// their way, in windows that widen again and again.
///
/// Without wrong reads the order of times is a serial run.  Otherwise it is
/// only a guess: whoever uses it has to try it.  Cost per sweep: sessions times
/// accesses, and transactions times window.
[[nodiscard]] GuessedTimes guess_times(const SerialScript& script,
                                       const Budget& budget);

}  // namespace txscope::check
