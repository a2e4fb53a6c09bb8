#pragma once

#include <string>

#include "exec/sql/query/evaluate.h"

namespace txscope::sql {

/// The part of a condition that is not true which decides that, with values:
/// "4 <= 3", or "there is (ann)" of NOT EXISTS; empty: nothing shorter than the
/// condition says it.
[[nodiscard]] std::string deciding_part(Evaluator& evaluator,
                                        const Expr& condition);

}  // namespace txscope::sql
