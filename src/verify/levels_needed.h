#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "model/level.h"
#include "verify/question.h"

namespace txscope::verify {

/// Which transactions have to run at serializable while all others run at a
/// weaker level, so that every rule holds for all inputs.
struct LevelsNeeded {
  Base others = Base::SnapshotIsolation;
  /// The smallest sets that suffice, by names of transactions; one empty set if
  /// none has to; no set if serializable for all is not enough.
  std::vector<std::vector<std::string>> sets;
  bool is_decided = true;  ///< else a check was not
};

/// Definition.  A read of t is judged by what t must see at t's own level; all
/// share one commit order.  Sets are tried from the smallest on, calls of one
/// transaction together; each one found is checked once more by a solver of its
/// own.
[[nodiscard]] LevelsNeeded find_levels_needed(Question& question, Base others,
                                              const Budget& budget);

}  // namespace txscope::verify
