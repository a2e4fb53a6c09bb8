#pragma once

#include <vector>

#include "model/sql/application.h"

namespace txscope::robust {

/// What the triggers of a table may do to a row that is written.
struct RowTriggers {
  bool is_any = false;
  /// They stand BEFORE the row, which they never leave out, and run no
  /// statements: what they do is in `columns`, or an error.
  bool is_plain = true;
  std::vector<bool> columns;  ///< that they may set
};

[[nodiscard]] RowTriggers row_triggers_of(const sql::Application& application,
                                          const sql::Table& table);

}  // namespace txscope::robust
