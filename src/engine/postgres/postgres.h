#pragma once

#include "model/product/profile.h"
#include "engine/server/versioned_statement.h"

namespace txscope::engine {

/// Runs one statement as PostgreSQL does (and Oracle, as far as it is the same
/// theory).  The rules are in docs/algorithms/engine.md.
[[nodiscard]] sql::StatementEnd run_on_postgres(const Surroundings& around,
                                                State& state, SessionNo me,
                                                const sql::Request& request,
                                                Product product,
                                                Isolation isolation);

}  // namespace txscope::engine
