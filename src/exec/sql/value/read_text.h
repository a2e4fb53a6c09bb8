#pragma once

#include <cstdint>

#include "exec/sql/query/halt.h"
#include "model/sql/type.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// The value that a text denotes in a type (parse_value), or why it does not:
/// 22P02, 22003; for dates 22007, 22008.  What PostgreSQL reads and we do not
/// hold is an error of ours.
[[nodiscard]] Value read_text(const Value& text, const Type& type, Halt& halt);

}  // namespace txscope::sql
