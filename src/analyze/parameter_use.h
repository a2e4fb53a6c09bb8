#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analyze/variable_origin.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// What a routine does with a parameter, as far as its text tells.
struct ParameterUse {
  std::set<ColumnRef> equals;   ///< rows are looked for by it
  std::set<ColumnRef> inserts;  ///< a new row gets it
  std::set<ColumnRef> bounds;   ///< it is compared with: stock >= p_quantity
  /// Constants that it is compared with for equality, by the routine or by a
  /// CHECK of a column that gets it: IF p_kind = 'debit'.
  std::set<sql::Value> constants;
};

/// By parameter, from 0.  Calls of other routines are followed.
[[nodiscard]] std::vector<ParameterUse> parameter_uses(
    const sql::Application& application, sql::RoutineId routine);

}  // namespace txscope::analyze
