// MERGE, row by row of its join.

#include <algorithm>

#include "exec/sql/writer/writer.h"

namespace txscope::sql {

bool Writer::execute(const Merge& merge) {
  if (!rules_.has_merge)
    return db_.end().undecided("MERGE is not followed at this level");
  const TableId table = merge.target.table;
  set_ = merge.set;
  const bool inserts = merge.does<Insert>();
  const bool updates = merge.does<Update>();
  const bool removes = merge.does<Delete>();
  std::vector<JoinedRow> joined;
  return (!inserts || fire_statement(table, Change::Insert, true)) &&
         (!updates || fire_statement(table, Change::Update, true)) &&
         (!removes || fire_statement(table, Change::Delete, true)) &&
         take_read(evaluator_.candidates(*merge.joined), joined) &&
         std::all_of(joined.begin(), joined.end(),
                     [&](JoinedRow& row) { return merge_row(merge, row); }) &&
         (!removes || end_rows(table, Change::Delete)) &&
         (!updates || end_rows(table, Change::Update)) &&
         (!inserts || end_rows(table, Change::Insert));
}

// A row that has changed is joined again as it is now: it may go to another
// arm, or fit no more, as one that is gone.
bool Writer::merge_row(const Merge& merge, JoinedRow& joined) {
  const std::optional<Expr>& on = merge.joined->joins.back().on;
  bool is_matched = joined.handles.back().table != kNone<TableId>;
  while (is_matched) {
    const Merge::Arm* arm = nullptr;
    if (!choose(merge, joined, true, arm)) return false;
    if (arm == nullptr) return true;
    bool is_other = false;
    if (!merge_into(merge, *arm, joined, is_other)) return false;
    if (!is_other) return true;
    is_matched = joined.handles.back().table != kNone<TableId>;
    if (is_matched &&
        !take_read(evaluator_.matches(on, joined.rows), is_matched))
      return false;
  }
  const Merge::Arm* arm = nullptr;
  if (!choose(merge, joined, false, arm)) return false;
  const auto* insert =
      arm != nullptr ? std::get_if<Insert>(&arm->action) : nullptr;
  Row row;
  return insert == nullptr ||
         (take_read(evaluator_.row_to_insert(*insert, joined.rows, db_), row) &&
          insert_row(*insert, std::move(row)));
}

bool Writer::choose(const Merge& merge, const JoinedRow& joined,
                    bool is_matched, const Merge::Arm*& chosen) {
  for (const Merge::Arm& arm : merge.arms) {
    if (arm.is_matched != is_matched) continue;
    bool holds = false;
    if (!take_read(evaluator_.matches(arm.condition, joined.rows), holds))
      return false;
    if (!holds) continue;
    chosen = &arm;
    return true;
  }
  return true;
}

bool Writer::merge_into(const Merge& merge, const Merge::Arm& arm,
                        JoinedRow& joined, bool& is_other) {
  const TableId table = merge.target.table;
  const auto* update = std::get_if<Update>(&arm.action);
  if (std::holds_alternative<Merge::Nothing>(arm.action)) return true;
  const RowHandle at = joined.handles.back();
  if (std::find(written_.begin(), written_.end(), at) != written_.end()) {
    SqlError error;
    error.sqlstate = "21000";
    error.message = "MERGE command cannot affect row a second time";
    return raise(error);
  }
  const Change change = update != nullptr ? Change::Update : Change::Delete;
  const bool fires_before = has_triggers(table, change, kBeforeRow);
  Row row;
  const auto make = [&] {
    return update == nullptr ||
           take_read(evaluator_.updated(*update, joined.rows,
                                        joined.rows.back(), &db_),
                     row);
  };
  const auto strength = [&] {
    if (update == nullptr) return LockStrength::Update;
    return fires_before
               ? strength_of_set(schema_.at(table), update->set)
               : strength_of_update(schema_.at(table), joined.rows.back(), row);
  };
  if (!make() ||
      (update != nullptr && !fires_before && !check_row(table, row)) ||
      !lock_merged(at, strength(), joined, is_other)) {
    return false;
  }
  if (is_other) return true;
  const Row old = joined.rows.back();
  if (update == nullptr) return remove_locked(at, old);
  if (!is_untouched(at, old, change)) return false;
  return fires_before ? update_locked(at, old, std::move(row))
                      : replace(at, old, row) && give_back(row);
}

bool Writer::lock_merged(RowHandle at, LockStrength strength, JoinedRow& joined,
                         bool& is_other) {
  Database::Locked locked;
  if (!db_.lock(at, strength, Database::IfLocked::Wait, locked)) return false;
  Row& there = joined.rows.back();
  if (locked.is_gone) {
    joined.handles.back() = {};
    std::fill(there.begin(), there.end(), Value());
    is_other = true;
  } else if (locked.is_changed && locked.row != there) {
    there = std::move(locked.row);
    is_other = true;
  }
  return true;
}

}  // namespace txscope::sql
