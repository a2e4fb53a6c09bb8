#pragma once

#include "exec/sql/query/halt.h"
#include "model/sql/expr.h"

namespace txscope::sql {

// Arithmetic of times and intervals, as timestamp.c of PostgreSQL has it.

/// Add and Subtract of times, intervals and dates, Multiply and Divide of
/// intervals by a double precision.
[[nodiscard]] Value time_arithmetic(Op op, const Value& a, const Value& b,
                                    Halt& halt);
[[nodiscard]] Value negate_interval(const Value& interval, Halt& halt);
/// A timestamp (of either kind) so many months, days and microseconds later.
[[nodiscard]] Value later(const Value& timestamp, const Value& interval,
                          Halt& halt);
/// To that many digits of a second.
[[nodiscard]] std::int64_t rounded_micros(std::int64_t micros, unsigned digits);

}  // namespace txscope::sql
