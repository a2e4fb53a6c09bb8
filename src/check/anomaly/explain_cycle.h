#pragma once

#include <vector>

#include "base/graph.h"
#include "check/facts/facts.h"
#include "check/weak/commit_graph.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/level.h"

namespace txscope::check {

/// A small cycle of `graph`, which must have one, as evidence against a level
/// from read-uncommitted to causal.
///
/// `graph` has the nodes and arcs of commit_graph.h: the order, the version
/// orders, reads-from (not at read-uncommitted) and `forced`.  A cycle with one
/// forced edge t2 -> t1 whose rest is happens-before is given as
/// t3 -rw-> t2 -> ... -> t3: t3 read what t1 wrote, and could know that t2 had
/// overwritten it.  One with two or three forced edges is given as the cases in
/// which one of them is the other way round, each such a cycle with one rw.
/// Shortest as far as a bounded effort finds; deterministic.
[[nodiscard]] Refutation explain_cycle(const History& history,
                                       const Facts& facts,
                                       const OrderIndex& order, Level level,
                                       const Graph& graph,
                                       const std::vector<Forced>& forced);

}  // namespace txscope::check
