#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "explore/explore.h"
#include "robust/execution.h"
#include "robust/question.h"
#include "robust/serial_runs.h"

namespace txscope::robust {

/// Asks of one history after the other whether all executions that a level
/// leaves it are as the notion wants them.
///
/// Definition.  src/robust/question.h.  An execution is the history and an
/// order of the writers of each row that the level allows.
/// Method.  Two deciders side by side, one at the level and one at
/// serializable; what an execution is asked for is required of both.  Trace:
/// the writers of a row are ordered pair by pair; as soon as the level can
/// still be completed and serializable cannot, every completion has a cycle.
/// View: the same with the last writer of each row.  Outcome and state: what
/// serializable cannot explain is looked up among the values that serial runs
/// show.  By columns or results: the orders that rows refuse are completed, and
/// the dependencies that are left (lens.h) are looked at one by one.
class HistoryJudge {
 public:
  virtual ~HistoryJudge() = default;
  /// An execution of this history that is not as the notion wants it.  If the
  /// budget ends meanwhile, nothing; look at the budget.
  virtual std::optional<Execution> find_odd(
      const explore::ExploredHistory& history) = 0;
};

/// What a judge is asked, and what it compares with; asked for once needed.
struct JudgeQuestion {
  Base level = Base::SnapshotIsolation;
  Notion notion = Notion::Trace;
  Granularity granularity = Granularity::Row;
  std::uint64_t loop_bound = 1000;
  std::function<const SerialRuns&()> serial;
  /// reads_from() of all serial executions, by columns or results.
  std::function<const std::unordered_set<Shown, ShownHash>&()> serial_reads;
};
[[nodiscard]] std::unique_ptr<HistoryJudge> make_judge(
    const exec::Script& script, JudgeQuestion question, const Budget& budget);

}  // namespace txscope::robust
