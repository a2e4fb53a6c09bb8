#pragma once

#include "engine/server/versioned_statement.h"

namespace txscope::engine {

/// Runs one statement as MariaDB does with InnoDB tables.  The rules are in
/// docs/algorithms/engine.md.
[[nodiscard]] sql::StatementEnd run_on_mariadb(const Surroundings& around,
                                               State& state, SessionNo me,
                                               const sql::Request& request,
                                               Isolation isolation);

/// Rows get their places in the clustered index.
void enter_places(const Surroundings& around, State& state);

/// Who of a cycle of waits may be rolled back.  `is_new`: `last` has closed it;
/// else it came to light when somebody gave locks back.
[[nodiscard]] SessionSet choose_victims(const State& state, SessionSet cycle,
                                        SessionNo last, bool is_new);

}  // namespace txscope::engine
