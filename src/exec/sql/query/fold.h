#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exec/sql/query/sql_error.h"
#include "model/sql/statement.h"

namespace txscope::sql {

class Routines;

// PostgreSQL evaluates what is constant in a statement when it plans it, also
// what no row would ever reach: SELECT CASE WHEN id > 0 THEN 1 ELSE 1/0 END
// FROM t fails, even on an empty table; and NULL + 1/n never does.  This is
// eval_const_expressions() of clauses.c.  In a statement of a routine variables
// are constants, too, as its first five plans are made for their values; in an
// expression that looks at no table they are not.

/// The error that planning meets, if any; without `slots` variables are no
/// constants.
[[nodiscard]] std::optional<SqlError> planning_error(
    const Routines& routines, const DbStatement& statement,
    std::span<const Value> slots);
[[nodiscard]] std::optional<SqlError> planning_error(const Routines& routines,
                                                     const Expr& expr);

/// The value of an expression, if planning finds out.
[[nodiscard]] std::optional<Value> folded(const Routines& routines,
                                          const Expr& expr,
                                          std::span<const Value> slots);

/// The expression with constants of these values as its operands.
[[nodiscard]] Expr with_operands(const Expr& expr,
                                 std::span<const Value> operands);

/// The largest expressions of a statement that planning evaluates with the
/// values of variables, and that may fail.
[[nodiscard]] std::vector<const Expr*> foldable(const DbStatement& statement);

}  // namespace txscope::sql
