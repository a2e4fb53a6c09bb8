#include <algorithm>

#include "engine/postgres/statement.h"

namespace txscope::engine {
namespace {

/// `columns` are to have the values of `of` in a row.
Records::Equal values_of(std::span<const std::uint32_t> columns,
                         std::span<const std::uint32_t> of,
                         const sql::Row& row) {
  Records::Equal equal;
  for (std::size_t c = 0; c < columns.size(); ++c)
    equal.emplace_back(columns[c], row[of[c]]);
  return equal;
}

}  // namespace

// SELECT 1 FROM parent WHERE key = ... FOR KEY SHARE, on a fresh snapshot where
// statements have one each.
bool PostgresStatement::find_parent(const sql::ForeignKey& key,
                                    const sql::Row& child, bool& is_found) {
  if (!note_key_scan(key.parent, key.parent_columns, key.columns, child,
                     snapshot_)) {
    return false;
  }
  if (around_.routines.locks_tables()) {
    ObjectLock parent;
    parent.key = key.parent.index;
    parent.mode = sql::ExplicitLock::Mode::RowShare;
    bool is_done = false;
    if (!acquire(parent, false, is_done)) return false;
  }
  const Stamp statement_snapshot = snapshot_;
  if (!keeps_snapshot()) snapshot_ = state_.clock;
  std::optional<std::size_t> found;
  state_.table(key.parent)
      .records.for_each_that_may(
          values_of(key.parent_columns, key.columns, child),
          [&](std::size_t i, const Record& parent) {
            const StoredRow* image = parent.pending.owner == me_
                                         ? parent.pending.row
                                         : parent.at(snapshot_);
            if (!found && image != nullptr &&
                same_values(key.parent_columns, image->row, key.columns, child))
              found = i;
          });
  Tip locked;
  if (found && !lock_record(key.parent, *found, LockMode::KeyShare,
                            IfLocked::Wait, locked))
    return false;
  is_found = is_found || found;
  snapshot_ = statement_snapshot;
  return true;
}

bool PostgresStatement::is_replaced(const sql::ForeignKey& key,
                                    const sql::Row& gone, bool& is_found) {
  if (!note_key_scan(key.parent, key.parent_columns, key.parent_columns, gone,
                     state_.clock)) {
    return false;
  }
  is_found = false;
  state_.table(key.parent)
      .records.for_each_that_may(
          values_of(key.parent_columns, key.parent_columns, gone),
          [&](std::size_t, const Record& parent) {
            const StoredRow* image = tip(parent);
            is_found = is_found || (image != nullptr &&
                                    same_values(key.parent_columns, image->row,
                                                key.parent_columns, gone));
          });
  return true;
}

// The latest rows are looked at, at every level; but one that the snapshot does
// not have cannot be deleted or updated where snapshots are kept.
bool PostgresStatement::find_children(TableId child, const sql::ForeignKey& key,
                                      const sql::Row& parent,
                                      std::vector<sql::RowHandle>& children) {
  if (!note_key_scan(child, key.columns, key.parent_columns, parent,
                     state_.clock)) {
    return false;
  }
  const auto is_child = [&](const StoredRow* image) {
    return image != nullptr &&
           same_values(key.columns, image->row, key.parent_columns, parent);
  };
  std::optional<bool> is_deleted;  // one that was waited for
  state_.table(child).records.for_each_that_may(
      values_of(key.columns, key.parent_columns, parent),
      [&](std::size_t i, const Record& record) {
        const StoredRow* image = tip(record);
        if (is_child(image)) {
          children.push_back({child, i});
        } else if (!is_deleted && has_waited_for_child() &&
                   record.pending.owner != me_ &&
                   is_child(record.at(session().statement_snapshot))) {
          is_deleted = image == nullptr;
        }
      });
  return !is_deleted || conflict_with_writer(*is_deleted);
}

// From repeatable-read on a query for children has a snapshot of its own, which
// it keeps while it waits for one of them: if that one is gone then, it fails.
bool PostgresStatement::has_waited_for_child() {
  return keeps_snapshot() && session().has_waited &&
         session().statement_snapshot != kNoSnapshot;
}

bool PostgresStatement::lock_child(sql::RowHandle at,
                                   const sql::ForeignKey& key,
                                   const sql::Row& parent,
                                   sql::LockStrength strength,
                                   std::optional<sql::Row>& row) {
  const Record& there = record(at.table, at.row);
  const StoredRow* image = tip(there);
  if (image == nullptr ||
      !same_values(key.columns, image->row, key.parent_columns, parent)) {
    return true;
  }
  const bool is_action = strength != sql::LockStrength::KeyShare;
  const LockMode mode = !is_action ? LockMode::KeyShare
                        : strength == sql::LockStrength::Update
                            ? LockMode::Update
                            : LockMode::NoKeyUpdate;
  if (const SessionSet blockers = holders(there, mode)) {
    if (keeps_snapshot() && session().statement_snapshot == kNoSnapshot) {
      session().statement_snapshot = state_.clock;
    }
    return wait_for_row(at.table, at.row, mode, blockers);
  }
  if (!is_action && has_waited_for_child() && there.pending.owner != me_ &&
      there.last()->stamp > session().statement_snapshot) {
    return conflict_with_writer(false);
  }
  if (is_action) {
    if (keeps_snapshot() && is_written_since(there))
      return conflict_with_writer(false);
    grant(at.table, at.row, mode);
  }
  row = image->row;
  return true;
}

}  // namespace txscope::engine
