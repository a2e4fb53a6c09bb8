#pragma once

#include <span>
#include <vector>

#include "engine/server/server.h"
#include "model/answer.h"

namespace txscope::engine {

/// The transactions that commit in a run, one after the other in every order
/// that keeps sessions, each with the first thing that is otherwise than in the
/// run; none if there are more than `max_orders`.
[[nodiscard]] std::vector<SerialRun> serial_differences(
    const Surroundings& around, const Profile& profile,
    const Selection& selection, const sql::MemoryDatabase& initial,
    std::span<const Move> run, std::size_t max_orders);

}  // namespace txscope::engine
