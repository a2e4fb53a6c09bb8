#pragma once

#include "lift/runs.h"
#include "lift/tables.h"

namespace txscope::lift {

/// Marks the statements that are about rows which their own request has made:
/// nobody else knows them yet, so that nobody else meets it there.
///
/// Method.  After an INSERT into a table a key of it that the log has not shown
/// before, and that the same request uses, is the new row's; so is what is
/// joined with that key (lines of a new order).
void mark_own_rows(Runs& runs, const Tables& tables);

}  // namespace txscope::lift
