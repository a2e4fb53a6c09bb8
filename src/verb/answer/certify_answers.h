#pragma once

#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "model/answer.h"

namespace txscope::verb {

/// Judges the history of every counterexample at a theoretical level from the
/// definition: `check` must find it to be of the level, and `certify` what it
/// says.  Notes in each answer what was done; an Error is a mistake of ours.
[[nodiscard]] Result<Done> certify_answers(const Workload& workload,
                                           const Budget& budget,
                                           std::vector<Answer>& answers);

/// The same mistake, said in one way.
[[nodiscard]] Error does_not_stand(const std::string& input,
                                   const std::string& level,
                                   const std::string& why);

}  // namespace txscope::verb
