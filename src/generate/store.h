#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/workload.h"

namespace txscope::generate {

/// A transaction that runs in a simulated database.
struct RunningTxn {
  std::uint32_t session = 0;
  Fate fate = Fate::Commits;
  std::vector<SimulatedOp> ops;
  std::int64_t start = 0;
  std::int64_t end = 0;

  // The rest is the store's.
  enum class Phase : std::uint8_t { New, Running, Committed };
  Phase phase = Phase::New;
  std::uint32_t next_op = 0;
  std::uint32_t replica = 0;
  std::vector<std::uint32_t> seen;   ///< version of each operation's key
  std::vector<std::uint32_t> needs;  ///< what must spread before it may end

  /// Makes room for the session's next transaction.
  void renew() {
    phase = Phase::New;
    next_op = 0;
  }
  /// The value of the last own write to the key before operation `before`.
  [[nodiscard]] const SimulatedOp* own_write(std::uint32_t key,
                                             std::size_t before) const {
    for (std::size_t i = before; i-- > 0;)
      if (ops[i].key == key && !ops[i].is_read()) return &ops[i];
    return nullptr;
  }
};

/// What became of a step.
enum class StepEnd : std::uint8_t { Ran, Waits, Ended };

/// A simulated database: it answers reads as a database of its level may.
class Store {
 public:
  virtual ~Store() = default;
  /// Lets a transaction do its next step at time `now`; the next call is at
  /// now + 2 or later.  It waits at most for transactions that run.
  virtual StepEnd step(RunningTxn& txn, std::int64_t now) = 0;
  /// All elements that were ever appended to a list, oldest first.  What a
  /// read saw of it is a prefix, then what its transaction appended itself.
  [[nodiscard]] virtual std::span<const std::int64_t> list(
      std::uint32_t key) const = 0;
};

}  // namespace txscope::generate
