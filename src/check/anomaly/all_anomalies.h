#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "model/anomaly.h"
#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// What goes wrong in a history in one way.
struct AnomalyKind {
  Anomaly anomaly;
  Level level;              ///< the first of the levels asked that forbids it
  std::uint64_t count = 0;  ///< instances, no two of which share a read
  Refutation smallest;      ///< of them; refutes `level` for the whole history
};

struct AllAnomalies {
  std::vector<AnomalyKind> kinds;  ///< by level, as asked; then as first found
  /// Set if the budget, or how many are looked for, ended the count at this
  /// level: there and above, counts are "at least".
  std::optional<Level> counted_until;
};

/// Every kind of anomaly of a history, with counts.
///
/// Method.  Level by level, weakest first: find a contradiction, count it, and
/// go on as if its reads were not there, until the level holds; then the next
/// one.  So each instance is told at the weakest of the levels that forbids it
/// (at both, where two levels do and neither is the weaker one).
///
/// Invariant.  Without some reads a history has fewer constraints, so what
/// contradicts it then contradicts the whole history.  Each round takes a read
/// away, so it ends.  How many instances there are depends on which is found
/// first, as with every maximal set of disjoint things; whether there is one
/// does not.
///
/// At a glance no more than some tens are counted at a level.
enum class CountEffort : std::uint8_t { Whole, Glance };
[[nodiscard]] AllAnomalies find_all_anomalies(
    const History& history, std::span<const Level> levels, const Budget& budget,
    CountEffort effort = CountEffort::Whole);

}  // namespace txscope::check
