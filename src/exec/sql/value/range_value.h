#pragma once

#include "exec/sql/query/halt.h"
#include "model/sql/value/range.h"

namespace txscope::sql {

/// The value that two bounds make, or why they do not: 22000, 22003, 22008.
[[nodiscard]] Value made_range(const Range& range, TypeName element,
                               Halt& halt);

}  // namespace txscope::sql
