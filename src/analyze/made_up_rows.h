#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "model/sql/application.h"

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

}  // namespace txscope::analyze
