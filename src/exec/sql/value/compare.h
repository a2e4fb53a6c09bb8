#pragma once

#include "model/sql/value/value.h"

namespace txscope::sql {

/// SQL's order of two values of one kind that are not NULL: negative, 0 or
/// positive.  1.0 and 1.00 compare equal.
[[nodiscard]] int compare(const Value& a, const Value& b);

/// The same for all values that SQL holds equal, so that == and hash() may be
/// used on it: keys of maps, groups, DISTINCT.  NULL stays NULL.
[[nodiscard]] Value canonical(const Value& value);

}  // namespace txscope::sql
