#pragma once

#include <optional>
#include <span>

#include "exec/sql/query/halt.h"
#include "exec/sql/query/store.h"
#include "exec/sql/routine/process.h"

namespace txscope::sql {

/// Runs a query of a VOLATILE function that an expression calls.  As a
/// trigger's it sees what the statement around it has done, and has a snapshot
/// of its own where the level gives each statement one.  Only a database can do
/// that.  False: `halt` says why the expression cannot go on.  `error`: the
/// query failed.
[[nodiscard]] bool run_inner(const Routines& routines, const Request& request,
                             std::span<const Value> slots, const Budget& budget,
                             Store* store, StatementResult& result,
                             std::optional<SqlError>& error, Halt& halt);

}  // namespace txscope::sql
