#pragma once

#include <string>

#include "model/sql/application.h"

namespace txscope::audit {

/// Why the answer of a statement is not decided by the rows it sees: it has a
/// row number, a neighbour or a first row (OVER, DISTINCT ON) among rows that
/// its ORDER BY may hold equal, and a server takes any of them first.  Empty:
/// nothing of that sort.
[[nodiscard]] std::string depends_on_ties(const sql::Schema& schema,
                                          const sql::DbStatement& statement);

}  // namespace txscope::audit
