#pragma once

#include <cstdint>

#include "base/random.h"
#include "model/level.h"
#include "support/sketch.h"

namespace txscope {

/// What random histories look like.
struct HistoryShape {
  int max_sessions = 3;
  int max_txns = 5;  ///< over all sessions
  int max_ops = 4;   ///< in one transaction
  int registers = 2;
  int lists = 0;
  double write_chance = 0.5;
  double plain_chance = 0;  ///< of a transaction that reads, then writes a key
  bool forks = false;       ///< begin with what makes a long fork likely
  bool repeats_values = false;      ///< else a value is written once per key
  double initial_value_chance = 0;  ///< of writing what a register starts with
  double no_initial_chance = 0;     ///< of a register that starts with no value
  double aborted_chance = 0;
  double unknown_chance = 0;
  bool judge_aborted = false;
  bool has_times = false;  ///< valid ones: sessions do not overlap themselves
  double chaos = 0;        ///< of a read that returns just anything
};

/// A shape with all knobs turned at random, small enough for the oracle.
[[nodiscard]] HistoryShape random_shape(Random& random);

/// Reads and writes as a coin falls: mostly nonsense at the higher levels.
[[nodiscard]] Sketch random_history(const HistoryShape& shape, Random& random);

/// What a simulated store answers: transactions commit one after the other,
/// and each sees of the earlier ones what `level` lets it see, and not more
/// than it has to.  With no chaos, dirty reads or repeated values the history
/// has the level; mostly it has not the next stronger one.
[[nodiscard]] Sketch simulated_history(const HistoryShape& shape, Level level,
                                       Random& random);

/// Either of these, of a random shape, cheap enough for the oracle.
[[nodiscard]] Sketch random_small_history(Random& random);

}  // namespace txscope
