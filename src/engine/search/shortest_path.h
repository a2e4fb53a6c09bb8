#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/server/server.h"

namespace txscope::engine {

/// Whether the end of a run is one that is looked for.
using IsGoal = std::function<bool(const State&)>;

/// The shortest way to such an end, by breadth-first search; of equally long
/// ones that with the fewest changes between sessions.  None: there is none, or
/// it is too far.
[[nodiscard]] std::optional<std::vector<Move>> shortest_path(
    Server& server, State initial, const IsGoal& is_goal, const Budget& budget);

}  // namespace txscope::engine
