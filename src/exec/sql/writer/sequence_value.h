#pragma once

#include "exec/sql/query/halt.h"
#include "exec/sql/query/store.h"
#include "model/sql/expr.h"

namespace txscope::sql {

/// The value of a function that is_volatile(): it takes a number of a sequence,
/// or asks for the last one.  Only a database has them.
[[nodiscard]] Value sequence_value(const Expr& e, const Value& sequence,
                                   Store* store, Halt& halt);

}  // namespace txscope::sql
