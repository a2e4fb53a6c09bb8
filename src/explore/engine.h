#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "explore/explore.h"
#include "explore/leaf_judge.h"
#include "explore/work_source.h"

namespace txscope::explore {

/// What kind of finding one is after: a property, or a fault at `pc`.
struct Target {
  std::optional<PropertyId> property;
  std::uint32_t pc = 0;
  friend bool operator==(const Target&, const Target&) = default;
};

/// A finding, written down: enough to make the execution again.
struct Finding {
  Base level = Base::Causal;
  Target target;
  WorkItem history;
};

/// One search, with the levels that it serves.
struct EngineTask {
  Base explored = Base::Causal;  ///< read-committed .. causal
  std::vector<Base> levels;      ///< explored itself, or causal and above
  std::vector<exec::InstanceId> active;  ///< the transactions to run
  std::uint64_t loop_bound = 1000;
  Algorithm algorithm = Algorithm::Dpor;
  unsigned jobs = 1;
  /// Of the rank that this search is a part of; else all is done here.
  WorkSource* source = nullptr;
  bool counts_all = true;
  bool self_check = false;
  const Observed* observed = nullptr;  ///< outcomes to count; none: do not
  /// Keep the finding with the fewest events of each kind, not the first.
  bool wants_shortest = false;
  std::optional<Target> target;  ///< ignore every other finding
  /// May end after so many calls once every level has a finding.
  std::optional<std::uint64_t> enough;
  /// Must end after so many calls.
  std::optional<std::uint64_t> limit;
  std::function<void(const ExploredHistory&)> on_history;
  /// Asked after every execution; true ends the search.
  std::function<bool()> wants_end;
  std::function<void(const ExploreProgress&)> on_progress;
};

struct EngineResult {
  std::vector<LevelCounts> counts;  ///< by level of the task
  SearchCounts search;
  std::uint64_t end_states = 0;
  std::uint64_t duplicates = 0;
  bool is_finished = false;       ///< the search came to its end
  Spent spent = Spent::Nothing;   ///< if it did not
  std::vector<Finding> findings;  ///< one per level and property or fault
};

[[nodiscard]] EngineResult run_engine(const exec::Script& script,
                                      const EngineTask& task,
                                      const Budget& budget);

}  // namespace txscope::explore
