#pragma once

#include <cstdint>

#include "exec/sql/query/halt.h"
#include "model/sql/value/numeric_order.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

// Exact decimals with the result scales of PostgreSQL 15 (numeric.c).  Digits
// that do not fit into 128 bits halt with an error of ours.
//
// The operands of a function are Numeric; Integer is taken as scale 0.

[[nodiscard]] Value add_numeric(const Value& a, const Value& b, Halt& halt);
[[nodiscard]] Value subtract_numeric(const Value& a, const Value& b,
                                     Halt& halt);
[[nodiscard]] Value multiply_numeric(const Value& a, const Value& b,
                                     Halt& halt);
/// At least 16 significant digits, and no fewer decimals than either operand.
[[nodiscard]] Value divide_numeric(const Value& a, const Value& b, Halt& halt);
[[nodiscard]] Value modulo_numeric(const Value& a, const Value& b, Halt& halt);
[[nodiscard]] Value negate_numeric(const Value& a);
/// To that many decimals, halves away from zero; negative: to tens, hundreds.
[[nodiscard]] Value round_numeric(const Value& a, std::int64_t scale,
                                  Halt& halt);
[[nodiscard]] Value floor_numeric(const Value& a);
[[nodiscard]] Value ceil_numeric(const Value& a);
/// numeric(precision, scale): rounded; 22003 if it does not fit.
[[nodiscard]] Value fit_numeric(const Value& a, unsigned precision,
                                unsigned scale, Halt& halt);

}  // namespace txscope::sql
