#include "check/engines.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {

// Read committed: no circular information flow (G1c).
//
// Definition.  Some total co contains reads-from, the order and the known
// version orders.  (Aborted, intermediate and thin-air reads, G1a and G1b,
// were found with the facts.)  Adya, PhD thesis, MIT 1999, section 4.2.2
// (PL-2).  The axiomatic papers give this name to monotonic-atomic-view.
// Method.  One topological sort of their union.
// Invariant.  Every arc lies in every co that could witness the level.
// Cost.  Linear.
Verdict check_read_committed(const History& history, const Facts& facts,
                             const OrderIndex& order, const Budget& budget) {
  return conclude(history, facts, order, {Base::ReadCommitted, order.order()},
                  {}, budget);
}

}  // namespace txscope::check
