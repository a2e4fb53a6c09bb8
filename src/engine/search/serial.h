#pragma once

#include <vector>

#include "base/budget.h"
#include "engine/search/selection.h"
#include "engine/server/trace.h"
#include "exec/sql/memory/database.h"

namespace txscope::engine {

/// The selected calls one after the other, in every order that keeps the
/// sessions' own; none if there are more than `max_orders`, or the budget ends.
[[nodiscard]] std::vector<SerialOutcome> run_serially_in_all_orders(
    const sql::MemoryDatabase& initial, const sql::Application& application,
    const Selection& selection, std::size_t max_orders, const Budget& budget);

}  // namespace txscope::engine
