#pragma once

#include <functional>
#include <optional>

#include "audit/attempt/load.h"

namespace txscope::audit {

/// Whether nothing explains such a log, and where it ends then.
using Refutes = std::function<bool(const WholeLog& rest, const Budget& budget,
                                   std::optional<FirstBad>& bad)>;

/// Reduces a log, or a part of it, that no order explains to the transactions
/// that matter.
///
/// A transaction is left out by forgetting what it was shown and whether it
/// committed: it may still have written what others saw.  Whatever explains
/// the log explains what is left, so that what remains unexplained is a proof.
/// Halves are tried first, then smaller pieces, then single ones: the core
/// that is found loses its proof with any one of its members.
/// Only logs of few transactions, and within a part of the budget.
void shrink(const WholeLog& part, Found& found, const Refutes& refutes,
            const Budget& budget);
/// The same for what search() refutes.
void shrink(const LoadedLog& log, const WholeLog& part, const Tables& initial,
            const AuditLevel& level, Found& found, const Budget& budget);

}  // namespace txscope::audit
