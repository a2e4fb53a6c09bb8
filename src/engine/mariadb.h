#pragma once

#include "engine/versioned_statement.h"

namespace txscope::engine {

/// Runs one statement as MariaDB does with InnoDB tables.  The rules are in
/// docs/algorithms/engine.md.
[[nodiscard]] sql::StatementEnd run_on_mariadb(const Surroundings& around,
                                               State& state, SessionNo me,
                                               const sql::Request& request,
                                               Isolation isolation);

/// Who of a cycle of waits that `last` has closed is rolled back.
[[nodiscard]] SessionNo choose_victim(const State& state, SessionSet cycle,
                                      SessionNo last);

}  // namespace txscope::engine
