#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explore/history_search.h"
#include "explore/witness.h"

namespace txscope::explore {

/// One event of a run, in the order of time of a schedule.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    Read,
    Write,
    AssertFailed,
    Commit,
    Abort,
    Fault,
  };
  Kind kind = Kind::Read;
  exec::InstanceId instance;
  Span at;  ///< the statement
  KeyId key;
  std::int64_t value = 0;
  exec::InstanceId source;    ///< of a Read: who wrote the value
  bool is_own = false;        ///< a Read of the transaction's own write
  bool is_stale = false;      ///< a Read that misses a version committed before
  PropertyId property;        ///< of AssertFailed
  Fault fault = Fault::None;  ///< of Fault
};

/// The value of a row at the end, and who wrote it.
struct FinalValue {
  KeyId key;
  std::int64_t value = 0;
  exec::InstanceId writer;
};

/// A history run again, with everything that a report wants to show.
struct ScheduledRun {
  struct Txn {
    exec::InstanceId instance;
    std::vector<ScheduleStep> steps;  ///< the last one is how it ended
    std::vector<std::int64_t> slots;
  };
  std::vector<Txn> txns;  ///< in the order of the work item
};

/// Runs the transactions of a history, each read with its given source.
[[nodiscard]] ScheduledRun run_history(const exec::Script& script,
                                       const WorkItem& history,
                                       std::uint64_t loop_bound,
                                       const Budget& budget);

/// A history as it could have happened in time: an order of commits that shows
/// its level, and an interleaving of the events in which as few reads as
/// possible miss what was committed before (those are marked stale) and
/// sessions change as seldom as that allows.
struct TimedHistory {
  std::vector<ScheduleStep> steps;
  std::vector<exec::InstanceId> commit_order;
};
[[nodiscard]] TimedHistory make_timed_history(const exec::Script& script,
                                              const ScheduledRun& execution,
                                              const HistoryWitness& witness);

/// Checks a schedule with the interpreter alone: every step must be what its
/// transaction does next, every read must return the last value that its
/// source wrote and had committed.  What is wrong, or nothing.
[[nodiscard]] std::optional<std::string> replay_error(
    const exec::Script& script, std::span<const ScheduleStep> schedule,
    std::uint64_t loop_bound);

}  // namespace txscope::explore
