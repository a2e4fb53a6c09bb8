#pragma once

#include <vector>

#include "model/sql/application.h"

namespace txscope::analysis {

/// By table: whether a statement that sessions may run locks or changes several
/// of its rows, or goes through them, in the order in which they stand there.
/// PostgreSQL writes each new version of a row behind all others, so that this
/// order changes, and with it who waits for whom.  EXCLUDE, too, stops at the
/// first row that is in the way.
[[nodiscard]] std::vector<bool> heap_ordered_tables(
    const sql::Application& application);

}  // namespace txscope::analysis
