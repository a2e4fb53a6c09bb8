#pragma once

#include <vector>

#include "symbolic/query/query.h"
#include "symbolic/routine/path.h"

namespace txscope::symbolic {

/// Sorts the rows of a query by its ORDER BY.  Rows are worked on one after the
/// other, so their order must be the same for all inputs.  Throws Unsupported.
void sort_known(SymbolicPath& path, const sql::Query& query,
                std::vector<ResultRow>& rows);

}  // namespace txscope::symbolic
