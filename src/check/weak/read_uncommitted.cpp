#include "check/engines.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {

// Read uncommitted: no dirty writes (G0).
//
// Definition.  The known version orders and the order have no cycle: some
// total co contains them.  Reads do not matter, but that list reads show the
// order of versions.  Adya, PhD thesis, MIT 1999, section 4.2.1 (PL-1).
// Method.  One topological sort of order and version orders.
// Invariant.  Every arc lies in every co that could witness the level.
// Cost.  Linear.
Verdict check_read_uncommitted(const History& history, const Facts& facts,
                               const OrderIndex& order, const Budget& budget) {
  return conclude(history, facts, order, {Base::ReadUncommitted, order.order()},
                  {}, budget);
}

}  // namespace txscope::check
