#include <algorithm>

#include "engine/postgres_run.h"

namespace txscope::engine {

// PostgreSQL's triggers fire when the statement is over, in the order in which
// rows were written; what they delete or update queues more.
bool PostgresRun::check_foreign_keys() {
  for (std::size_t e = 0; e < events_.size(); ++e) {
    const Event event = events_[e];
    const sql::Table& table = schema(event.table);
    if (event.row != nullptr) {
      for (const sql::ForeignKey& key : table.foreign) {
        if (event.old != nullptr &&
            !differ(key.columns, event.old->row, event.row->row)) {
          continue;
        }
        if (!check_parent(table, key, event.row->row)) return false;
      }
    }
    if (event.old != nullptr && !check_children(event)) return false;
  }
  return true;
}

// SELECT 1 FROM parent WHERE key = ... FOR KEY SHARE, on a fresh snapshot where
// statements have one each.
bool PostgresRun::check_parent(const sql::Table& child,
                               const sql::ForeignKey& key,
                               const sql::Row& row) {
  if (has_null(key.columns, row)) return true;
  if (!note_key_scan(key.parent, key.parent_columns, key.columns, row,
                     snapshot_)) {
    return false;
  }
  const Stamp statement_snapshot = snapshot_;
  if (!keeps_snapshot()) snapshot_ = state_.clock;
  const auto& parents = state_.table(key.parent).records;
  bool is_found = false;
  for (std::size_t i = 0; i < parents.size() && !is_found; ++i) {
    const Record& parent = parents[i];
    const StoredRow* image =
        parent.pending.owner == me_ ? parent.pending.row : parent.at(snapshot_);
    if (image == nullptr ||
        !same_values(key.parent_columns, image->row, key.columns, row)) {
      continue;
    }
    Locked locked;
    if (!lock(key.parent, i, LockMode::KeyShare, locked)) return false;
    is_found = true;
    break;
  }
  snapshot_ = statement_snapshot;
  if (is_found) return true;
  if (product_ == Product::Oracle)
    return fail("ORA-02291",
                "integrity constraint violated - parent key not found");
  return fail("23503", "insert or update on table \"" + child.name +
                           "\" violates foreign key constraint \"" + key.name +
                           "\"");
}

bool PostgresRun::check_children(const Event& event) {
  const auto& tables = around_.schema().tables;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const sql::ForeignKey& key : tables[t].foreign) {
      if (key.parent != event.table) continue;
      if (event.row != nullptr &&
          !differ(key.parent_columns, event.old->row, event.row->row)) {
        continue;
      }
      const bool is_action =
          event.row == nullptr && key.on_delete != sql::OnDelete::NoAction;
      if (!is_action &&
          !note_key_scan(event.table, key.parent_columns, key.parent_columns,
                         event.old->row, state_.clock)) {
        return false;
      }
      // Another row that has the key now serves as well.
      const auto& parents = state_.table(event.table).records;
      const bool is_replaced = std::any_of(
          parents.begin(), parents.end(), [&](const Record& parent) {
            const StoredRow* image = latest(parent);
            return image != nullptr &&
                   same_values(key.parent_columns, image->row,
                               key.parent_columns, event.old->row);
          });
      if (is_replaced) continue;
      if (!note_key_scan(TableId(t), key.columns, key.parent_columns,
                         event.old->row, state_.clock)) {
        return false;
      }
      for (std::size_t i = 0; i < state_.table(TableId(t)).records.size(); ++i)
        if (!check_child(event, TableId(t), key, i)) return false;
    }
  }
  return true;
}

// The latest rows are looked at, at every level; but one that the snapshot does
// not have cannot be deleted or updated where snapshots are kept.
bool PostgresRun::check_child(const Event& event, TableId child,
                              const sql::ForeignKey& key, std::size_t index) {
  const Record& row = record(child, index);
  const StoredRow* image = latest(row);
  if (image == nullptr || !same_values(key.columns, image->row,
                                       key.parent_columns, event.old->row)) {
    return true;
  }
  const bool is_action =
      event.row == nullptr && key.on_delete != sql::OnDelete::NoAction;
  if (!is_action) {
    if (const SessionSet blockers = holders(row, LockMode::KeyShare))
      return wait(blockers);
    if (product_ == Product::Oracle)
      return fail("ORA-02292",
                  "integrity constraint violated - child record found");
    return fail("23503",
                "update or delete on table \"" + schema(event.table).name +
                    "\" violates foreign key constraint \"" + key.name +
                    "\" on table \"" + schema(child).name + "\"");
  }
  const LockMode mode = key.on_delete == sql::OnDelete::Cascade
                            ? LockMode::Update
                            : LockMode::NoKeyUpdate;
  if (const SessionSet blockers = holders(row, mode)) return wait(blockers);
  if (keeps_snapshot() && is_written_since(row))
    return conflict_with_writer(false);
  grant(child, index, mode);
  if (key.on_delete == sql::OnDelete::Cascade) return erase(child, index);
  sql::Row emptied = image->row;
  for (const std::uint32_t c : key.columns) emptied[c] = sql::Value();
  return check_row(child, emptied) && replace(child, index, emptied);
}

}  // namespace txscope::engine
