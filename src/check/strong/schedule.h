#pragma once

#include <vector>

#include "check/facts/facts.h"
#include "check/strong/known_graph.h"
#include "model/history.h"

namespace txscope::check {

/// A topological order of the known graph in which nearly every read finds the
/// version that it saw: the first guess of a commit order.
///
/// Method.  List scheduling.  A transaction runs when all that is known to
/// precede it has run, and commits only if, for each key that it writes, all
/// readers of the current version have read it.  Where several may run, the
/// recorded times decide, or else the lines of the input, or how far each
/// session is.  Where none may, the guess is wrong somewhere, and the first of
/// those who wait commits anyway.
///
/// `more_links` are observed, too.  If the graph has a cycle the result is
/// shorter than node_count(), and the nodes that are missing lie on cycles or
/// behind them.
///
/// Cost.  O((n + m) log n) for n nodes and m links.
[[nodiscard]] std::vector<KnownGraph::Node> schedule(
    const History& history, const Facts& facts, const KnownGraph& graph,
    std::span<const KnownGraph::Link> more_links);

}  // namespace txscope::check
