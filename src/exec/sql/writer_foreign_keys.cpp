// What a statement looks at when its rows are written: foreign keys, in the
// order of the rows, and then their AFTER triggers; and what it leaves to
// COMMIT.

#include "exec/sql/writer.h"

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
  const Change change = !event.now       ? Change::Delete
                        : old == nullptr ? Change::Insert
                                         : Change::Update;
  Row now = event.now.value_or(Row());
  bool is_skipped = false;
  return fire(table, change, false, true, old, event.now ? &now : nullptr,
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
      if (action == OnDelete::NoAction && is_left(key)) continue;
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
    if (!schema_.at(child).triggers.empty())
      return db_.end().undecided(
          "a foreign key that changes rows of a table "
          "with triggers is not followed");
    if (is_deletion) {
      if (!erase(at, *there)) return false;
      continue;
    }
    const Row made = changed(*there);
    if (rules_.checks_emptied_rows && !check_row(child, made)) return false;
    if (!replace(at, *there, made)) return false;
  }
  return true;
}

// --- what is left to COMMIT

void Writer::leave_to_commit(const Event& event) {
  const TableId table = event.at.table;
  const bool is_due =
      db_.leaves_foreign_keys
          ? routines_.is_linked(table, WhichKeys::All) &&
                (event.old || !schema_.at(table).foreign.empty())
          : rules_.deferral != Deferral::Ignored &&
                routines_.is_linked(table, WhichKeys::Deferred);
  if (is_due)
    db_.end().result.deferred.push_back({table, event.old, event.now});
}

bool Writer::execute(std::span<const DeferredCheck> checks) {
  for (const DeferredCheck& check : checks) {
    const Table& child = schema_.at(check.child);
    const ForeignKey& key = child.foreign[check.key];
    const bool goes_on = check.is_of_parent
                             ? check_child(check.child, key, check.row, nullptr,
                                           OnDelete::NoAction)
                             : check_parent(child, key, check.row);
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace txscope::sql
