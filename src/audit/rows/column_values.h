#pragma once

#include "audit/rows/row_totals.h"
#include "audit/rows/row_versions.h"

namespace txscope::audit {

/// Refutes answers that show, in whatever row of a table, a value that its
/// column never had in any.
///
/// Definition.  The values of a column are what the setup left, constants that
/// statements of transactions that may have committed give it, and, of a row to
/// which something is added, its ValueSet.  Unless something gives it what is
/// not known.
/// Method.  What a SELECT shows of a column of a table, of joined rows, of
/// groups, as the least or the greatest, is the column's in one version of one
/// row, whatever the order of transactions and at every level.
/// Invariant.  A refuted answer shows a value that no version has.
void check_column_values(const LoadedLog& log, const RowVersions& rows,
                         const OnImpossible& on_impossible);

}  // namespace txscope::audit
