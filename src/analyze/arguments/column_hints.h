#pragma once

#include <map>
#include <vector>

#include "analyze/arguments/variable_origin.h"
#include "model/sql/application.h"

namespace txscope::analyze {

/// What code and constraints say of a column's values.
struct ColumnHints {
  /// Constants that it is compared with for equality: those of CHECKs, else
  /// those of the routines, in the order of the text.
  std::vector<sql::Value> constants;
  bool is_checked = false;  ///< `constants` are those of CHECKs
  bool is_tested_for_null = false;
};

/// By column, only of those of which something is said.
[[nodiscard]] std::map<ColumnRef, ColumnHints> column_hints(
    const sql::Application& application);

}  // namespace txscope::analyze
