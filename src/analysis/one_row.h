#pragma once

#include <optional>

#include "model/sql/schema.h"

namespace txscope::analysis {

/// Whether a condition gives the values of a unique key of `table`, which is
/// relation 0: then it finds one row, if any.
[[nodiscard]] bool names_one_row(const sql::Table& table,
                                 const std::optional<sql::Expr>& where);

}  // namespace txscope::analysis
