#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/level.h"
#include "verify/question.h"

namespace txscope::verify {

/// What transactions do in some execution, for some inputs: the ground on which
/// "for all inputs" stands.
struct Activity {
  bool is_known = false;  ///< the solver decided all of it
  std::size_t transactions = 0;
  std::vector<std::string> never_commit;  ///< names of those that never do
  bool changes_rows = true;               ///< some transaction that commits
  /// Two sessions use a row that one of them changes.
  bool sessions_meet = true;
};

/// Method.  The solver is asked for a complete execution in which a transaction
/// commits that was not yet seen to, until there is none: most often the first
/// model shows them all.
[[nodiscard]] Activity find_activity(Question& question, Base level,
                                     const Budget& budget);

}  // namespace txscope::verify
