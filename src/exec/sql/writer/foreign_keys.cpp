// What a statement looks at when its rows are written: foreign keys, in the
// order of the rows, and then their AFTER triggers; and what it leaves to
// COMMIT.

#include <algorithm>
#include <utility>

#include "exec/sql/writer/writer.h"

namespace txscope::sql {

bool Writer::finish_rows() {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event event = events_[i];  // what it does may add others
    if (!finish(event)) return false;
  }
  return true;
}

bool Writer::finish(const Event& event) {
  const TableId table = event.at.table;
  set_ = event.set;
  if (event.all) return fire_statement(table, *event.all, false);
  const Row* old = event.old ? &*event.old : nullptr;
  leave_to_commit(event);
  if (!check_keys(event)) return false;
  if (!rules_.checks_foreign_keys_by_row) {
    if (event.now && !schema_.at(table).foreign.empty() &&
        db_.latest(event.at) == event.now &&
        !check_parents(table, *event.now, old)) {
      return false;
    }
    if (old != nullptr &&
        !check_children(table, *old, event.now ? &*event.now : nullptr)) {
      return false;
    }
  }
  const Change change = change_of(event.old, event.now);
  Row now = event.now.value_or(Row());
  bool is_skipped = false;
  return fire(table, change, kAfterRow, old, event.now ? &now : nullptr,
              is_skipped);
}

bool Writer::check_parents(TableId table, const Row& row, const Row* old) {
  const Table& shape = schema_.at(table);
  for (const ForeignKey& key : shape.foreign) {
    if (is_left(key) || has_null(key.columns, row)) continue;
    if (old != nullptr && !differ(key.columns, *old, row)) continue;
    if (!check_parent(shape, key, row)) return false;
  }
  return true;
}

bool Writer::check_parent(const Table& child, const ForeignKey& key,
                          const Row& row) {
  bool is_found = false;
  if (!db_.find_parent(key, row, is_found)) return false;
  return is_found || breaks(Broken::NoParent, key.name, key.parent, child.name);
}

bool Writer::check_children(TableId table, const Row& old, const Row* row) {
  for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
    for (const ForeignKey& key : schema_.tables[t].foreign) {
      if (key.parent != table || has_null(key.parent_columns, old)) continue;
      if (row != nullptr && !differ(key.parent_columns, old, *row)) continue;
      const OnDelete action = row == nullptr ? key.on_delete : key.on_update;
      const bool restricts =
          row == nullptr ? key.restricts_delete : key.restricts_update;
      const bool waits = db_.leaves_foreign_keys || !restricts;
      if (action == OnDelete::NoAction && is_left(key) && waits) continue;
      if (!check_child(TableId(t), key, old, row, action)) return false;
    }
  }
  return true;
}

bool Writer::check_child(TableId child, const ForeignKey& key, const Row& old,
                         const Row* row, OnDelete action) {
  const bool is_action = action != OnDelete::NoAction;
  if (is_action && row != nullptr && rules_.checks_foreign_keys_by_row)
    return db_.end().undecided("ON UPDATE CASCADE is not followed here");
  if (!is_action) {  // another row that has the key now serves as well
    bool is_replaced = false;
    if (!db_.is_replaced(key, old, is_replaced)) return false;
    if (is_replaced) return true;
  }
  const bool is_deletion = row == nullptr && action == OnDelete::Cascade;
  std::vector<RowHandle> children;
  if (!db_.find_children(child, key, old, children)) return false;
  for (const RowHandle at : children) {
    const auto changed = [&](Row made) {
      for (std::size_t i = 0; i < key.columns.size(); ++i)
        made[key.columns[i]] = action == OnDelete::Cascade
                                   ? (*row)[key.parent_columns[i]]
                                   : Value();
      return made;
    };
    LockStrength strength = LockStrength::KeyShare;
    if (is_deletion) {
      strength = LockStrength::Update;
    } else if (is_action && row != nullptr) {
      const std::optional<Row> now = db_.latest(at);
      if (!now) continue;
      strength = strength_of_update(schema_.at(child), *now, changed(*now));
    } else if (is_action) {
      strength = LockStrength::NoKeyUpdate;
    }
    std::optional<Row> there;
    if (!db_.lock_child(at, key, old, strength, there)) return false;
    if (!there) continue;
    if (!is_action) {
      return breaks(Broken::HasChildren, key.name, key.parent,
                    schema_.at(child).name);
    }
    if (!schema_.at(child).triggers.empty() && !rules_.fires_by_row)
      return db_.end().undecided(
          "a foreign key that changes rows of a table "
          "with triggers is not followed");
    const bool is_nested = std::exchange(is_action_, true);
    const bool is_done =
        is_deletion ? erase(at, *there) : empty(at, *there, changed(*there));
    is_action_ = is_nested;
    if (!is_done) return false;
  }
  return true;
}

/// A row whose foreign key is set to other values, or to NULL.
bool Writer::empty(RowHandle at, const Row& old, const Row& row) {
  if (rules_.checks_emptied_rows && !check_row(at.table, row)) return false;
  return replace(at, old, row);
}

// --- what is left to COMMIT

void Writer::leave_to_commit(const Event& event) {
  const TableId table = event.at.table;
  const Table& shape = schema_.at(table);
  DeferredChange left{table, event.old, event.now};
  if (rules_.deferral != Deferral::Ignored) left.modes = modes();
  for (const std::uint32_t k : event.met)
    if (is_deferred(shape.key_at(k))) left.keys.push_back(k);
  const Change change = change_of(event.old, event.now);
  for (std::uint32_t i = 0; i < shape.triggers.size(); ++i) {
    const Trigger& trigger = shape.triggers[i];
    if (trigger.is_deferrable && is_deferred(trigger) && fires(trigger, change))
      left.triggers.push_back(i);
  }
  const auto has_left = [&](const Table& child) {
    return std::any_of(
        child.foreign.begin(), child.foreign.end(), [&](const ForeignKey& key) {
          return is_deferred(key) && (&child == &shape || key.parent == table);
        });
  };
  const bool has_keys =
      db_.leaves_foreign_keys
          ? routines_.is_linked(table, WhichKeys::All) &&
                (event.old || !shape.foreign.empty())
          : routines_.is_linked(table, WhichKeys::Deferrable) &&
                std::any_of(schema_.tables.begin(), schema_.tables.end(),
                            has_left);
  const bool has_unique =
      std::any_of(shape.unique.begin(), shape.unique.end(),
                  [&](const UniqueKey& key) { return is_deferred(key); });
  if (has_keys || !left.triggers.empty() || !left.keys.empty() ||
      (event.old && has_unique)) {
    db_.end().result.deferred.push_back(std::move(left));
  }
}

bool Writer::execute(std::span<const DeferredCheck> checks) {
  return std::all_of(
      checks.begin(), checks.end(),
      [&](const DeferredCheck& check) { return execute(check); });
}

bool Writer::execute(const DeferredCheck& check) {
  const Table& table = schema_.at(check.table);
  switch (check.kind) {
    case DeferredCheck::Kind::Child:
      return check_parent(table, table.foreign[check.key], *check.row);
    case DeferredCheck::Kind::Parent:
      return check_child(check.table, table.foreign[check.key], *check.row,
                         nullptr, OnDelete::NoAction);
    case DeferredCheck::Kind::Unique:
      return check_key(check.table, check.key, *check.row);
    case DeferredCheck::Kind::Trigger: break;
  }
  const Row* old = check.old ? &*check.old : nullptr;
  Row now = check.row.value_or(Row());
  bool is_skipped = false;
  return fire(check.table, table.triggers[check.key],
              change_of(check.old, check.row), old, check.row ? &now : nullptr,
              is_skipped);
}

}  // namespace txscope::sql
