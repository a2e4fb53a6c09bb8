#pragma once

#include <optional>
#include <span>

#include "base/budget.h"
#include "robust/execution.h"

namespace txscope::robust {

/// Decides `trace` against snapshot isolation by serial runs with one delayed
/// transaction.
///
/// Source.  Beillahi, Bouajjani, Enea, "Checking Robustness Against Snapshot
/// Isolation", CAV 2019, Theorem 1 and Figures 3 and 4, with their errors
/// repaired (docs/algorithms/robust.md). Method.  A serial prefix; then some
/// transaction t runs on the current state and does not publish.  R is what it
/// reads, W what it writes; its session stops.  Others go on one by one.  Each
/// of them must not write something of W (t would fail) and must be tied to the
/// chain that starts at t: its session is in the chain already, or it reads
/// what the chain wrote since, or writes what the chain (or t) read or wrote.
/// Once one of them reads something of W, t misses it and it misses t: a cycle.
/// Invariant.  If there is an execution with a cycle, there is one of this
/// form: a shortest cycle has one transaction between two rw edges, and all
/// others can be run before it in one order that their dependencies allow.
struct DelaySearch {
  /// Complete: the transactions that are left follow in some order.
  std::optional<Execution> odd;
  /// The program has an error, an assumption that fails or a bound that is
  /// reached: only complete executions count, and this search cannot tell.
  bool is_inapplicable = false;
  bool is_finished = true;  ///< the budget did not end it
  std::uint64_t states = 0;
};

[[nodiscard]] DelaySearch find_delay(const exec::Script& script,
                                     std::span<const exec::InstanceId> active,
                                     std::uint64_t loop_bound,
                                     const Budget& budget);

}  // namespace txscope::robust
