#pragma once

#include <string>
#include <vector>

#include "analyze/transaction_type.h"
#include "base/budget.h"

namespace txscope::analyze {

/// Gives tables that the setup leaves empty, and that transactions look at, a
/// few rows: without rows nobody meets on one.
///
/// Method.  Parents before children; keys count up from 1, foreign keys name
/// the parent's rows, other columns take plain values, of which the next ones
/// are tried where a constraint refuses the row.  A table whose constraints
/// refuse all of them stays empty.
/// Returns the names of the tables that got rows.
std::vector<std::string> make_up_rows(sql::Application& application,
                                      const std::vector<bool>& wanted,
                                      const Budget& budget);

/// For tables that these transactions look at, and what their rows refer to.
std::vector<std::string> make_up_rows_for(
    const std::vector<TransactionType>& types, sql::Application& application,
    const Budget& budget);

}  // namespace txscope::analyze
