#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/strong/known_graph.h"
#include "model/history.h"

namespace txscope::check {

/// A link that follows from the known graph, because one node reaches another
/// by known links and by forced ones of earlier rounds.
struct ForcedLink {
  KnownGraph::Link link;
  KnownGraph::Link because;  ///< from what to what
  std::uint32_t round;       ///< from 1
};

[[nodiscard]] std::vector<KnownGraph::Link> links_of(
    std::span<const ForcedLink> forced);

/// Finds write orders of which the opposite would close a cycle.
///
/// Method.  Reachability by vector clocks: per node and session, how far along
/// that session something reaches the node.  Two rules, until nothing new is
/// found or `max_rounds` have passed, for a key x, a read of x by t from w, and
/// another writer v of x:
///   v reaches the start of t          v is before w;
///   v before w would close a cycle    w is before v, and t reads before v
///                                     commits.
/// Per key and session only the last v of the first kind and the last w of the
/// second kind are linked; the others follow along the session.
///
/// Source.  Saturation as in Biswas and Enea, OOPSLA 2019, with the clocks of
/// Moldrup and Pavlogiannis, PLDI 2025 (AWDIT), also in the graph of starts
/// and commits.
///
/// Cost.  Per round O(nodes + links) for as many sessions at once as fit into
/// 64 MB, one byte each where they have up to 255 transactions, but at least
/// for 16 to 64 of them; what a node knows of already is not joined again.
///
/// Stops early at a round whose links close a cycle: then the level is
/// violated.  Sessions have to be chains of the graph.
[[nodiscard]] std::vector<ForcedLink> saturate(const History& history,
                                               const Facts& facts,
                                               const KnownGraph& graph,
                                               int max_rounds,
                                               const Budget& budget);

}  // namespace txscope::check
