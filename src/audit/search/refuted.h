#pragma once

#include "audit/rows/row_history.h"
#include "audit/search/search.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::audit {

/// What is told of a log that nothing explains, by what has refuted it.

/// An answer that no order gives.
[[nodiscard]] Found impossible(const LoadedLog& log, const Impossible& why);

/// A history of its rows that has not a level.
[[nodiscard]] Found refuted(const LoadedLog& log, const History& history,
                            const Verdict& verdict);

/// A transaction as its client saw it.
[[nodiscard]] CoreTxn core_txn(const Txn& txn);

/// Shows the transactions of the core, in the order of the log, unless they are
/// many.
void tell_core(const LoadedLog& log, Found& found);

}  // namespace txscope::audit
