#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "exec/script.h"
#include "explore/explore.h"
#include "robust/execution.h"

namespace txscope::robust {

/// What one transaction does on one state of the database.
struct TransactionRun {
  /// `pc`: the statement; of a write all that wrote the key.
  struct Read {
    KeyId key;
    std::int64_t value = 0;
    std::uint32_t pc = 0;
    /// What the transaction itself had written to the row before, by
    /// statement: the read sees the rest of `value` behind that.
    std::vector<std::uint32_t> behind = {};
  };
  struct Write {
    KeyId key;
    std::int64_t value = 0;
    std::vector<std::uint32_t> pcs = {};
  };
  exec::Event end;          ///< how it stopped
  std::vector<Read> reads;  ///< external, in program order
  /// Reads of rows that it has changed, each with the one of `reads` that the
  /// change began from.
  std::vector<std::pair<std::size_t, Read>> own_reads;
  std::vector<Write> writes;  ///< last value per key; none if it aborted
  std::vector<std::int64_t> slots;

  [[nodiscard]] bool is_complete() const {
    return end.stop == exec::Stop::Commit || end.stop == exec::Stop::Abort;
  }
};

/// The active transactions of each session, in its order.
[[nodiscard]] std::vector<std::vector<exec::InstanceId>> by_session(
    const exec::Script& script, std::span<const exec::InstanceId> active);

[[nodiscard]] TransactionRun run_transaction(
    exec::Runner& runner, const exec::Script& script, exec::InstanceId instance,
    std::span<const std::int64_t> state);

/// The same, with what each read gives by `answer`.
using ReadAnswer = std::function<std::int64_t(KeyId key)>;
[[nodiscard]] TransactionRun run_transaction(exec::Runner& runner,
                                             const exec::Script& script,
                                             exec::InstanceId instance,
                                             const ReadAnswer& answer);
/// A transaction of a history, run again.
[[nodiscard]] TransactionRun run_again(
    exec::Runner& runner, const exec::Script& script,
    const explore::ExploredHistory::Txn& txn);

/// Who wrote a row last.
using LatestWriters = std::map<std::uint32_t, exec::InstanceId>;
/// Adds a transaction to an execution, which reads from `read` and overwrites
/// `latest`.
void append(exec::InstanceId instance, const TransactionRun& run,
            const LatestWriters& read, LatestWriters& latest, Execution& to);

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
[[nodiscard]] SerialRuns run_all_orders(
    const exec::Script& script, std::span<const exec::InstanceId> active,
    std::uint64_t loop_bound, const Budget& budget);

/// The same numbers of an execution: `finals` by KeyId.
class Lens;
[[nodiscard]] Shown outcome_of(const exec::Script& script, Lens& lens,
                               const explore::ExploredHistory& history,
                               std::span<const std::int64_t> finals);
[[nodiscard]] Shown state_of(Lens& lens, std::span<const std::int64_t> finals);

/// Calls `on_execution` with every serial execution; false: a bound or the
/// budget ended it.
bool for_each_serial_execution(
    const exec::Script& script, std::span<const exec::InstanceId> active,
    Lens& lens, const Budget& budget,
    const std::function<void(const Execution&)>& on_execution);

}  // namespace txscope::robust
