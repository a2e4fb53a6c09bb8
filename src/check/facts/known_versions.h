#pragma once

#include <optional>

#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/history.h"

namespace txscope::check {

/// A serial order of a history that shows all its version orders, if there is
/// one: of lists, whose reads tell the order of their elements, and of
/// registers that are written at most once.
///
/// Definition.  Serializable: co extends the order, wr, ww and rw (Adya 1999,
/// PL-3), and nothing of these is open but the order of appends that nobody
/// read, which come after all that somebody read.
///
/// Method.  These edges, in a number linear in the operations, and one
/// topological sort.  Readers of a key's last version go through one node to
/// the appends that nobody read.
///
/// Invariant.  No edge speaks of two appends that nobody read, so any
/// topological order is a witness, and one for every weaker level, too.
///
/// Nothing if the order of some register's writers is open, or if there is a
/// cycle: then the other engines find out which levels that violates.
/// The facts must have no open questions and no bad reads.
[[nodiscard]] std::optional<CommitOrder> order_by_known_versions(
    const History& history, const Facts& facts, const OrderIndex& order);

}  // namespace txscope::check
