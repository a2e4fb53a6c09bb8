#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "explore/history_search.h"
#include "robust/execution.h"
#include "robust/question.h"

namespace txscope::robust {

/// What is asked of a bounded program.
struct SearchQuestion {
  Base against = Base::SnapshotIsolation;
  Notion notion = Notion::Trace;
  Granularity granularity = Granularity::Row;
  std::uint64_t loop_bound = 1000;
  /// The transactions that run; empty: all.
  std::vector<exec::InstanceId> active;
  /// Compare all executions even where the reduction would do; for tests.
  bool avoids_reduction = false;
  unsigned jobs = 1;
};

struct SearchAnswer {
  Outcome answer = Outcome::Undecided;
  /// Not robust: an execution of the level that shows it.
  std::optional<Execution> odd;
  /// Not robust: an error of the program that no serial execution has; its
  /// instruction, and the execution up to it.
  std::optional<std::uint32_t> new_fault;
  explore::WorkItem fault_history;
  /// The reduction to one delayed transaction answered.
  bool is_reduced = false;
  std::uint64_t executions = 0;  ///< complete histories, or states, looked at
  std::string why;               ///< undecided: what ended the search
};

/// Whether a bounded program is robust, exactly.
///
/// Method.  Trace against snapshot isolation by one delayed transaction
/// (single_delay.h), unless the program has assumptions or errors; everything
/// else by comparing the level's executions with the serial ones (notions.h).
/// What is robust by rows is so by columns and results.
[[nodiscard]] SearchAnswer search(const exec::Script& script,
                                  const SearchQuestion& question,
                                  const Budget& budget);

/// The instances to run: the question's, or all.
[[nodiscard]] std::vector<exec::InstanceId> active_of(
    const exec::Script& script, const SearchQuestion& question);

}  // namespace txscope::robust
