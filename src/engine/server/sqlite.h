#pragma once

#include "engine/server/versioned_statement.h"

namespace txscope::engine {

/// Runs one statement as SQLite does in a deferred transaction with a rollback
/// journal.
[[nodiscard]] sql::StatementEnd run_on_sqlite(const Surroundings& around,
                                              State& state, SessionNo me,
                                              const sql::Request& request);

/// COMMIT of one that has written needs everybody else to have finished
/// reading.
[[nodiscard]] bool may_commit_on_sqlite(const State& state, SessionNo me);

}  // namespace txscope::engine
