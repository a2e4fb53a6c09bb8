#pragma once

#include <optional>
#include <span>

#include "check/facts/facts.h"
#include "check/strong/known_graph.h"
#include "check/weak/order.h"
#include "model/evidence.h"

namespace txscope::check {

/// A cycle of nodes of the graph of serializable as evidence, where each of its
/// links shows in one step: the order, a read, or a read of what was
/// overwritten.  Nothing if a link needs more, or is about lists.
///
/// Cost.  Linear in the operations of the cycle's transactions, so cycles of
/// any length can be told; an Excerpt is at least quadratic.
[[nodiscard]] std::optional<Cycle> plain_cycle(
    const History& history, const Facts& facts, const OrderIndex& order,
    const KnownGraph& graph, std::span<const KnownGraph::Node> nodes);

}  // namespace txscope::check
