#pragma once

#include <vector>

#include "analyze/arguments/made_up_rows.h"

namespace txscope::analyze {

/// Rows on which more of the transactions do what they are there for.
///
/// Method.  A transaction that fails alone with all its arguments, or changes
/// nothing, is run on rows that differ in one value.  What brings it further in
/// its text, and no other one back, is kept.
[[nodiscard]] RowPlan search_rows(const std::vector<TransactionType>& types,
                                  const sql::Application& application,
                                  const Budget& budget);

}  // namespace txscope::analyze
