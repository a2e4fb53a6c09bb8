#pragma once

#include <optional>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// A commit order in which the versions of every key follow each other as the
/// input hints at, if there is one.  `base` is serializable, snapshot-isolation
/// or prefix.
///
/// Definition.  With a total order of the writers of each key the level asks
/// for no more than that the graph of order, wr, ww and rw has no cycle (see
/// strong/known_graph.h for the graph of each level).
///
/// Method.  The hint is when writers committed, by recorded times or by lines,
/// or else the numbers that they wrote: most tools that test databases count
/// upwards, for each key or for all.  Then one topological sort of a graph that
/// is never built: who waits for whom follows from the readers of each version
/// and its next writer.
///
/// Invariant.  Lists keep the order that their reads show, so any answer is a
/// witness.
///
/// Cost.  Linear but for one sort per key; memory some 20 bytes per operation.
///
/// Nothing if there is no hint, if it is wrong anywhere, or if the budget ends:
/// that says nothing about the history.  The facts must have no open questions
/// and no bad reads.
[[nodiscard]] std::optional<CommitOrder> order_by_likely_versions(
    const History& history, const Facts& facts, const OrderIndex& order,
    Base base, const Budget& budget);

}  // namespace txscope::check
