#pragma once

#include <vector>

#include "analyze/pair_search.h"
#include "engine/explain/repair.h"

namespace txscope::analyze {

/// Adds the changes that were tried and make a pair safe: locks first, as a
/// diff of the user's text, then the weakest stronger level.  Each was explored
/// whole, with every choice of arguments that the pair has (`all`; the first is
/// that of the finding).
void find_repairs(CallRunner& runner,
                  const std::vector<std::vector<CallRunner::Part>>& all,
                  const Profile& profile, const engine::IsOffered& is_offered,
                  const Budget& budget, RaceFinding& finding);

}  // namespace txscope::analyze
