#pragma once

#include <optional>
#include <unordered_map>

#include "exec/sql/sql_error.h"
#include "model/sql/statement.h"

namespace txscope::sql {

class Routines;

/// Values that are known whatever the operands are: NULL + x, x AND false.
using Folded = std::unordered_map<const Expr*, Value>;

/// PostgreSQL evaluates what is constant in a statement when it plans it, also
/// what no row would ever reach: SELECT CASE WHEN id > 0 THEN 1 ELSE 1/0 END
/// FROM t fails, even on an empty table.  The error that planning meets, if any
/// (eval_const_expressions() of clauses.c; the values of variables are not
/// looked at, though plans may be made with them).  Adds to `folded`.
[[nodiscard]] std::optional<SqlError> planning_error(
    const Routines& routines, const DbStatement& statement, Folded& folded);
[[nodiscard]] std::optional<SqlError> planning_error(const Routines& routines,
                                                     const Expr& expr,
                                                     Folded& folded);

}  // namespace txscope::sql
