#pragma once

#include <optional>

#include "audit/attempt/rule.h"
#include "audit/rows/row_history.h"

namespace txscope::audit {

/// Refutes an answer by the values that a column of a row can have had where it
/// was given, in whatever order explains the log.
///
/// Definition.  What a statement sees includes all that precede its session's
/// last, and all that precede who wrote what the transaction has seen before;
/// it does not include those that it precedes itself (MustPrecede).  A column's
/// value there was set by a writer that no other setter is known to hide, and
/// has all additions that are known to lie between; of the others any may have
/// been added.
/// Method.  Transactions are gone through in the order of their times, which
/// only makes it fast.  Where an answer leaves few of these ways, what precedes
/// all of them precedes the reader; so until nothing new is learned.
/// Invariant.  In every explanation each way that really was is among those
/// looked at, and who is said to precede does.  So an answer without a way, or
/// two that precede each other, refute the log.  Nothing follows otherwise.
/// Cost.  A few times over the log; by read as many steps as sessions.
[[nodiscard]] std::optional<Impossible> find_unseeable(const LoadedLog& log,
                                                       const RowVersions& rows,
                                                       const AuditLevel& level,
                                                       const Budget& budget);

}  // namespace txscope::audit
