#pragma once

#include <vector>

#include "repair/problem.h"

// One function per kind of repair: the changes of that kind that are worth
// trying, those of the run's statements first.  Whether one helps, and whether
// the program still means the same, is not theirs to know.

namespace txscope::repair {

/// `SELECT n INTO v ..; IF v >= 1 THEN UPDATE .. SET n = v - 1` as one
/// `UPDATE .. SET n = n - 1 WHERE .. AND n >= 1`.
[[nodiscard]] std::vector<Change> atomic_updates(const Problem& problem);
/// No COMMIT in the middle, which lets go of locks.
[[nodiscard]] std::vector<Change> longer_transactions(const Problem& problem);
/// FOR UPDATE SKIP LOCKED for who takes the next row of a queue.
[[nodiscard]] std::vector<Change> skipped_locks(const Problem& problem);
/// UNIQUE, also of the rows with some value, where rows are looked for by
/// values before others are inserted or changed.
[[nodiscard]] std::vector<Change> unique_keys(const Problem& problem);
/// EXCLUDE of ranges where a query looks for what overlaps.
[[nodiscard]] std::vector<Change> exclusions(const Problem& problem);
/// FOR UPDATE, or a SELECT .. FOR UPDATE of the same rows before a query that
/// counts them.
[[nodiscard]] std::vector<Change> row_locks(const Problem& problem);
/// FOR UPDATE of the row to which the rows of a query belong.
[[nodiscard]] std::vector<Change> parent_locks(const Problem& problem);
/// CHECK that a number that is added to stays in its limits.
[[nodiscard]] std::vector<Change> checks(const Problem& problem);
/// All rows at the start, in the order of tables and keys.
[[nodiscard]] std::vector<Change> sorted_locks(const Problem& problem);
/// A write of what is read, for levels of theory.
[[nodiscard]] std::vector<Change> written_reads(const Problem& problem);
/// Foreign keys that columns have by their names.
[[nodiscard]] std::vector<Change> foreign_keys(const Problem& problem);
/// A stronger level.
[[nodiscard]] std::vector<Change> levels(const Problem& problem);

}  // namespace txscope::repair
