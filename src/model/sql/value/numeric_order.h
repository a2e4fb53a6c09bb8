#pragma once

#include "model/sql/value/value.h"

namespace txscope::sql {

/// The order of two numbers (Numeric or Integer), of whatever scale.
[[nodiscard]] int compare_numeric(const Value& a, const Value& b);
/// Without trailing zeros after the point.
[[nodiscard]] Value strip_zeros(const Value& a);

}  // namespace txscope::sql
