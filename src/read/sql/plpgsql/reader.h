#pragma once

#include <vector>

#include "read/sql/plpgsql/routine_builder.h"

namespace txscope::sql {

/// The body of a PL/pgSQL routine: [<<label>>] [DECLARE ...] BEGIN ... END [;]
[[nodiscard]] PlBlock read_body(RoutineBuilder& builder,
                                const std::vector<Token>& tokens);
/// Statements, as in the middle of a body.
[[nodiscard]] PlBlock read_statements(RoutineBuilder& builder,
                                      const std::vector<Token>& tokens);

}  // namespace txscope::sql
