#pragma once

#include <vector>

#include "base/graph.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/verdict.h"

namespace txscope::check {

/// t2 precedes t1 in every commit order, because `read` reads a key that t2
/// writes, too, from t1, and t2 precedes the reader by the level's premise.
struct Forced {
  TxnId t2;
  TxnId t1;
  OpId read;
};

/// Arcs that lie in every commit order, over the nodes of a CommitGraph: the
/// transactions by id, then the moments of the order.
[[nodiscard]] std::size_t node_count(const History& history,
                                     const OrderIndex& order);
[[nodiscard]] inline Node node(TxnId t) { return t.index; }
void add_order(const History& history, const Facts& facts,
               const OrderIndex& order, std::vector<Arc>& arcs);
void add_reads_from(const History& history, const Facts& facts,
                    std::vector<Arc>& arcs);
/// The order of the versions of each list, as far as the reads show it.
void add_version_orders(const History& history, const Facts& facts,
                        std::vector<Arc>& arcs);

/// The end of every weak checker: if the arcs of the level have no cycle, a
/// topological order of them is a commit order; else a small cycle of them
/// refutes the level.  `forced` must be all that the level forces, but for
/// edges that follow from the others.
[[nodiscard]] Verdict conclude(const History& history, const Facts& facts,
                               const OrderIndex& order, Level level,
                               const std::vector<Forced>& forced,
                               const Budget& budget);

/// The evidence of "holds" for an order of nodes (moments and transactions
/// that do not count are left out).
[[nodiscard]] CommitOrder make_commit_order(const History& history,
                                            const Facts& facts,
                                            const std::vector<Node>& order);

}  // namespace txscope::check
