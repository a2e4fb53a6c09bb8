#pragma once

#include <optional>

#include "engine/search/explore_profile.h"
#include "engine/server/server.h"
#include "engine/search/state_search.h"

namespace txscope::engine {

/// Makes a run that shows `what` as small as it can be made cheaply: the
/// fewest calls, then the shortest schedule, then the one that changes least
/// often between sessions.  `path` leads to one with all calls.
///
/// Method.  Selections of calls in order of size, each searched; if the
/// application keeps the property in every serial order, only selections that
/// do so, too, count: else an invariant that speaks of work done by all would
/// be blamed on those who did not come.  Then breadth-first search in the
/// smallest.
[[nodiscard]] Counterexample explain_violation(
    const Surroundings& around, const Profile& profile,
    const sql::MemoryDatabase& initial, const Question& what,
    const std::vector<Move>& path, const ProfileOptions& options);

}  // namespace txscope::engine
