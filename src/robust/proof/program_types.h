#pragma once

#include "model/program.h"
#include "robust/proof/summary.h"

namespace txscope::robust {

/// The places of a `.txn` program as tables: a row per element, its key the
/// index (of a register 0), beside it the value.  No row comes or goes.
[[nodiscard]] sql::Schema schema_of(const Program& program);

/// What a transaction of a `.txn` program can do, with any parameters on any
/// state.
///
/// Method.  As of SQL (summary.h): branches are conditions, a loop has two
/// rounds with arbitrary locals at the head of each.  A read of what the
/// transaction itself wrote is no access.  A program error ends the transaction
/// as `abort` does: if the others can be put into one order, the error is there
/// in that order, too.  What `assume` says is true of every complete execution.
[[nodiscard]] Summary summarize(const Program& program,
                                const Transaction& transaction,
                                Symbols& symbols);

}  // namespace txscope::robust
