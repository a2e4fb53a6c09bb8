#pragma once

#include <set>
#include <string>

#include "race/reduce/catalog.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// Tables whose rows a statement may show, take or lock in the order in which
/// PostgreSQL keeps them, which is that in which they were last updated: it has
/// no ORDER BY of a key, and its answer is not one number for all of them.
/// Updates of different rows of such a table do not commute: who comes first
/// decides which row `SELECT .. LIMIT 1` finds.  All tables, if the statement
/// is not understood.
[[nodiscard]] std::set<std::string> tables_by_order(const Statement& statement,
                                                    const Catalog& catalog);

}  // namespace txscope::race
