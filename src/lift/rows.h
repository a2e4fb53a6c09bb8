#pragma once

#include <set>
#include <string>
#include <vector>

#include "lift/procedure.h"
#include "lift/tables.h"
#include "model/sql/schema.h"

namespace txscope::lift {

/// INSERTs of rows that the statements of the procedures find when they are
/// called with their arguments: conditions that can be met by one row share it.
/// Other columns get a value that no statement assigns, so that a change shows.
/// Tables in `filled` have rows already.
[[nodiscard]] std::string rows_text(const std::vector<Procedure>& procedures,
                                    const Tables& tables,
                                    const sql::Schema* schema,
                                    const std::set<std::string>& filled);

}  // namespace txscope::lift
