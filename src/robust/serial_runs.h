#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/budget.h"
#include "exec/script.h"
#include "explore/explore.h"

namespace txscope::robust {

/// What one transaction does on one state of the database.
struct TransactionRun {
  struct Read {
    KeyId key;
    std::int64_t value = 0;
  };
  struct Write {
    KeyId key;
    std::int64_t value = 0;
  };
  Event end;                  ///< how it stopped
  std::vector<Read> reads;    ///< external, in program order
  std::vector<Write> writes;  ///< last value per key; none if it aborted
  std::vector<std::int64_t> slots;

  [[nodiscard]] bool is_complete() const {
    return end.stop == Stop::Commit || end.stop == Stop::Abort;
  }
};

/// The active transactions of each session, in its order.
[[nodiscard]] std::vector<std::vector<InstanceId>> by_session(
    const Script& script, std::span<const InstanceId> active);

[[nodiscard]] TransactionRun run_transaction(
    Runner& runner, const Script& script, InstanceId instance,
    std::span<const std::int64_t> state);

/// The numbers that tell what an execution showed.
using Shown = std::vector<std::int64_t>;
struct ShownHash {
  std::size_t operator()(const Shown& shown) const;
};

/// Everything that serial executions of some transactions can show.
///
/// Method.  All orders that keep sessions, from state to state; two prefixes
/// that show the same are followed once.
struct SerialRuns {
  std::unordered_set<Shown, ShownHash> outcomes;
  std::unordered_set<Shown, ShownHash> states;
  std::set<std::uint32_t> faults;  ///< instructions at which one ends
  bool is_complete = true;         ///< no bound and no budget ended it
};
[[nodiscard]] SerialRuns run_all_orders(const Script& script,
                                        std::span<const InstanceId> active,
                                        std::uint64_t loop_bound,
                                        const Budget& budget);

/// The same numbers of an execution: `finals` by KeyId.
[[nodiscard]] Shown outcome_of(const ExploredHistory& history,
                               std::span<const std::int64_t> finals);

}  // namespace txscope::robust
