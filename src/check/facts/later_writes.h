#pragma once

#include <vector>

#include "check/facts/facts.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// Reads that saw what, by the recorded times, was written only later: all who
/// may have written the value were invoked after the reader had ended.
///
/// Definition.  At realtime order the commit order contains (a, b) if a ended
/// before b started, and reads-from.  So nobody reads from a transaction that
/// started after it had ended, at read-committed and above: such a writer is no
/// candidate.  Facts do not know the level's order, and keep them.
///
/// Method.  A read with one writer, or with several candidates, is bad if all
/// of them are later.  Of a list, if any element is: the elements that a read
/// shows are the first of the version order, so the latest start among them is
/// a running maximum.  Lists whose order is open are left to the search.
///
/// Invariant.  Only what wr and realtime order contradict is named, so that
/// no history is violated that was not before; the reason is simpler.
///
/// Cost.  Linear, but for the candidates of reads whose values repeat.
[[nodiscard]] std::vector<BadRead> reads_of_later_writes(const History& history,
                                                         const Facts& facts);

/// All reads that contradict the level by themselves: those that Facts know
/// and, at realtime order, those of later writes.
[[nodiscard]] std::vector<BadRead> bad_reads(const History& history,
                                             const Facts& facts, Level level);

}  // namespace txscope::check
