#pragma once

#include <vector>

#include "audit/attempt/prepared.h"
#include "audit/rows/row_access.h"

namespace txscope::audit {

/// What a call may do to rows, whatever they are when it runs.
///
/// Method.  Every statement of the routine, and of those that it calls, may run
/// or not, with the call's arguments in place of parameters that nothing
/// assigns to.  A variable that one SELECT sets to a column of the row which is
/// then updated stands for that column.  AFTER triggers are routines like
/// others, whose rows are not known.  What a loop adds, and what a trigger adds
/// that fires for many rows, is unknown, and so is everything where a BEFORE
/// trigger may change rows.
/// Invariant.  A version of a row that the call leaves is named by one of the
/// accesses: by a constant or an addition only where every run of the statement
/// gives it.
void add_call(const Prepared& prepared, const sql::LogStatement& observed,
              std::vector<RowAccess>& all);

/// The same of a statement that fires triggers or has several parts.
void add_triggering(const Prepared& prepared, const sql::LogStatement& observed,
                    std::vector<RowAccess>& all);

}  // namespace txscope::audit
