#pragma once

#include <vector>

#include "analyze/transaction_type.h"
#include "base/budget.h"
#include "exec/sql/memory/database.h"

namespace txscope::analyze {

/// Arguments with which two calls meet on the same rows.
///
/// Method.  Arguments that the file's own sessions use come first.  A parameter
/// by which rows are looked for takes values that are there, a second one for
/// the same column another row's, and both exchanged; one that only a new row
/// gets takes a value of the row that it refers to, or a new one; one that is
/// compared with a column (`stock >= p_quantity`) takes all that is there, and
/// one.  Where none of this changes a row, parameters that name no row stand
/// one behind the other, as the beginning and the end of a booking do.
/// Every type takes the same rows first, so that calls meet.
/// What commits when run alone comes before what does not.
[[nodiscard]] std::vector<Arguments> choose_arguments(
    const sql::Application& application, sql::RoutineId routine,
    const sql::MemoryDatabase& initial, const Budget& budget);

/// Whether a call commits when nobody else is there.
[[nodiscard]] bool commits_alone(const sql::MemoryDatabase& initial,
                                 sql::RoutineId routine,
                                 const Arguments& arguments,
                                 const Budget& budget);

/// Whether it also leaves other rows, or other numbers of sequences, behind.
[[nodiscard]] bool changes_alone(const sql::MemoryDatabase& initial,
                                 sql::RoutineId routine,
                                 const Arguments& arguments,
                                 const Budget& budget);

/// Calls of a type that bring it to its limit: after them one more commits,
/// but not two.  Empty: it has none that so few calls reach.
[[nodiscard]] std::vector<Arguments> calls_to_the_limit(
    const sql::MemoryDatabase& initial, const TransactionType& type,
    const Budget& budget);

}  // namespace txscope::analyze
