#pragma once

#include <optional>

#include "base/budget.h"
#include "model/answer.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// The history that a counterexample's committed transactions make, for
/// `check`: every written value a version of its own.
struct HistoryShown {
  /// Leave out what UPDATE and DELETE read only to overwrite it: no client saw
  /// it.
  bool only_what_clients_saw = false;
  /// Also what aborted transactions read.
  bool judges_aborted = false;
};
[[nodiscard]] History history_of(const Workload& workload,
                                 const Counterexample& run, HistoryShown shown);

/// Sets the first level that refuses a counterexample's history, and what
/// `check` calls that.  Levels that `level` implies are not asked.
void name_anomaly(const Workload& workload, std::optional<Base> level,
                  const Budget& budget, Counterexample& run);

}  // namespace txscope::check
