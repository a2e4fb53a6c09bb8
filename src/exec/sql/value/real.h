#pragma once

#include "exec/sql/query/halt.h"
#include "model/sql/expr.h"

namespace txscope::sql {

/// double precision and real, with PostgreSQL's errors where IEEE has
/// infinities.
[[nodiscard]] Value real_arithmetic(Op op, const Value& a, const Value& b,
                                    Halt& halt);
/// A number of any kind.
[[nodiscard]] double to_real(const Value& number);
/// As PostgreSQL casts it: 15 significant digits, of real 6.
[[nodiscard]] Value numeric_of_real(const Value& number, Halt& halt);
/// Checks what came out of finite operands.
[[nodiscard]] Value checked_real(double result, bool is_single, bool was_finite,
                                 bool was_zero, Halt& halt);

}  // namespace txscope::sql
