#pragma once

#include <span>
#include <vector>

#include "exec/sql/routine/process.h"
#include "symbolic/query/query.h"
#include "symbolic/routine/routine.h"

namespace txscope::symbolic {

/// What an expression asks of others than its operators: own functions that
/// write nothing, and operators that are known for given values only.
class FunctionCalls {
 public:
  FunctionCalls(const sql::Routines& routines, std::uint64_t rounds,
                const Budget& budget)
      : routines_(routines), context_{routines.application(), rounds, budget} {}

  /// Op::Function: its statements see the caller's rows.
  [[nodiscard]] SqlTerm call(SqlTerms& terms, const sql::Expr& e,
                             std::span<const SqlTerm> arguments,
                             const SeenRows& rows);
  /// Any operator whose operands have these values: what exec's Evaluator says.
  [[nodiscard]] SqlTerm of_values(SqlTerms& terms, const sql::Expr& e,
                                  std::span<const sql::Value> operands) const;

 private:
  const sql::Routines& routines_;
  RoutineContext context_;
};

}  // namespace txscope::symbolic
