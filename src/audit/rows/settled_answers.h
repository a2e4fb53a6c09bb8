#pragma once

#include <optional>

#include "audit/rows/row_history.h"

namespace txscope::audit {

/// Refutes answers that rest on nothing that anybody writes.
///
/// Definition.  A column is settled if no statement of the log may write it and
/// none may put rows into its table or take them away.  A SELECT of one table
/// that asks for settled columns only is answered alike on every state and on
/// every mixture of versions, so on that of the setup.
/// Invariant.  A refuted answer is not that one; this holds at every level.
/// Cost.  One run for each such statement, of which only so many are looked at.
[[nodiscard]] std::optional<Impossible> find_unsettled(const LoadedLog& log,
                                                       const RowVersions& rows,
                                                       const Budget& budget);

}  // namespace txscope::audit
