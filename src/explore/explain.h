#pragma once

#include <cstdint>
#include <optional>

#include "base/budget.h"
#include "explore/engine.h"
#include "explore/subject.h"

namespace txscope::explore {

/// Turns a finding into something to read: looks for the fewest transactions
/// that still show it, then for the history with the fewest events, then for
/// an order of time; and runs the same transactions serially to compare.
///
/// Transactions are left out only as long as the finding is avoided by every
/// serializable execution of the rest, unless some serializable execution of
/// the whole program is known to show it: `count == 2` is no surprise after one
/// of two increments is gone.  Up to 16 transactions all subsets are tried,
/// smallest first; beyond that, and when the effort gets too large, sessions
/// and transactions are dropped greedily.
[[nodiscard]] Counterexample explain_finding(const Subject& subject,
                                             const Finding& finding,
                                             std::uint64_t loop_bound,
                                             const Budget& budget);

/// The transactions that are enough to show `finding`.
[[nodiscard]] std::vector<exec::InstanceId> reduce(const exec::Script& script,
                                                   const Finding& finding,
                                                   std::uint64_t loop_bound,
                                                   const Budget& budget);

/// What is asked of serial runs: the finding, the rows and the condition whose
/// values are told.
struct SerialQuestion {
  Target target;
  std::vector<KeyId> rows;
  std::optional<std::size_t> condition;  ///< none: an assert inside
};

/// What the given transactions do in every order that keeps sessions; nothing
/// if there are more than `most` orders, or the budget ends.
[[nodiscard]] std::vector<SerialRun> run_serially(
    const Subject& subject, const std::vector<exec::InstanceId>& instances,
    const SerialQuestion& question, std::uint64_t loop_bound, std::size_t most,
    const Budget& budget);

}  // namespace txscope::explore
