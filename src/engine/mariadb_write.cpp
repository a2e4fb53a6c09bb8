#include <algorithm>

#include "engine/mariadb_run.h"
#include "exec/sql/facts.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kNoSelf = ~std::size_t{0};

// Of the index that serves a foreign key.
std::uint8_t entry_place(const sql::Table& table,
                         const std::vector<std::uint32_t>& columns) {
  const std::vector<IndexShape> indexes = indexes_of(table);
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].columns.size() >= columns.size() &&
        std::equal(columns.begin(), columns.end(),
                   indexes[i].columns.begin())) {
      return place_of(indexes[i], i);
    }
  }
  return 1;
}

bool has(const std::vector<sql::FoundRow>& found, std::size_t record) {
  return std::any_of(found.begin(), found.end(), [&](const sql::FoundRow& f) {
    return f.handle.row == record;
  });
}

}  // namespace

bool MariaDbRun::returning(const sql::Row& row) {
  ++answer_.result.count;
  if (request_.statement->returning.empty()) return true;
  sql::Row values;
  if (!take(evaluator_.returning(request_.statement->returning, row), values))
    return false;
  answer_.result.rows.push_back(std::move(values));
  return true;
}

bool MariaDbRun::examine_target(const sql::Relation& target,
                                const std::optional<sql::Expr>& where) {
  if (!where || !sql::facts_of(*where).has_query) return true;
  if (std::any_of(examined_.begin(), examined_.end(),
                  [](const Examined& e) { return e.is_target; })) {
    return true;
  }
  sql::Access access;
  access.table = target.table;
  access.relation = &target;
  return scan_locking(access, Reading::Exclusive,
                      [](sql::RowHandle, const sql::Row&) {});
}

// Below repeatable-read a scan tests the last committed version of a row that
// is locked, and waits only if that matches.
bool MariaDbRun::update(const sql::Update& update) {
  const TableId table = update.target.table;
  auto evaluated = evaluator_.targets(update);
  if (!examine_target(update.target, update.where)) return false;
  const std::vector<Examined> examined = std::exchange(examined_, {});
  const auto* found = std::get_if<std::vector<sql::FoundRow>>(&evaluated);
  std::vector<std::size_t> done;
  const std::size_t resumed = passed(examined);
  for (std::size_t i = 0; i < examined.size(); ++i) {
    const Examined& e = examined[i];
    if (is_passed(e, i, resumed)) continue;
    const bool is_match = e.is_target && e.has_record && found != nullptr &&
                          has(*found, e.record);
    if (e.is_target && e.has_record && !locks_gaps() && !e.is_point &&
        !e.is_beyond && !is_match && blockers(e) != 0) {
      continue;
    }
    if (!acquire(e, is_match || keeps(e))) return false;
    if (!is_match || std::count(done.begin(), done.end(), e.record) != 0)
      continue;
    done.push_back(e.record);
    const std::vector<Examined> later = std::exchange(examined_, {});
    sql::Row row;
    auto updated = evaluator_.updated(update, e.shown->row);
    if (!acquire_all() || !take(std::move(updated), row)) return false;
    if (auto error = evaluator_.check_row(schema(table), row))
      return raise(*error);
    if (!replace(table, e.record, row) || !returning(row)) return false;
  }
  std::vector<sql::FoundRow> all;
  return take(std::move(evaluated), all);
}

bool MariaDbRun::remove(const sql::Delete& remove) {
  auto evaluated = evaluator_.targets(remove);
  if (!examine_target(remove.target, remove.where)) return false;
  const std::vector<Examined> examined = std::exchange(examined_, {});
  const auto* found = std::get_if<std::vector<sql::FoundRow>>(&evaluated);
  std::vector<std::size_t> done;
  const std::size_t resumed = passed(examined);
  for (std::size_t i = 0; i < examined.size(); ++i) {
    const Examined& e = examined[i];
    if (is_passed(e, i, resumed)) continue;
    const bool is_match = e.is_target && e.has_record && found != nullptr &&
                          has(*found, e.record);
    if (!acquire(e, is_match || keeps(e))) return false;
    if (!is_match || std::count(done.begin(), done.end(), e.record) != 0)
      continue;
    done.push_back(e.record);
    if (!erase(remove.target.table, e.record) || !returning(e.shown->row))
      return false;
  }
  std::vector<sql::FoundRow> all;
  return take(std::move(evaluated), all);
}

bool MariaDbRun::insert_rows(const sql::Insert& insert) {
  DrawnNumbers numbers(around_.schema(), state_, me_);
  std::vector<sql::Row> rows;
  auto evaluated = evaluator_.rows_to_insert(insert, numbers);
  if (!acquire_all() || !take(std::move(evaluated), rows)) return false;
  return std::all_of(rows.begin(), rows.end(), [&](const sql::Row& row) {
    return insert_row(insert, row);
  });
}

// ON CONFLICT is what MariaDB calls IGNORE and ON DUPLICATE KEY UPDATE.
bool MariaDbRun::insert_row(const sql::Insert& insert, const sql::Row& row) {
  const TableId table = insert.target.table;
  if (auto error = evaluator_.check_row(schema(table), row))
    return raise(*error);
  const auto& keys = schema(table).unique;
  const bool is_update = insert.on_conflict && insert.on_conflict->is_update;
  // The row is there, by its primary key, before other keys are tested.
  std::size_t self = kNoSelf;
  if (!schema(table).has_primary_key &&
      !(check_gaps(table, row, nullptr, true) &&
        insert_entry(table, row, self))) {
    return false;
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    Duplicate duplicate;
    if (!find_duplicate(table, k, row, self, is_update, duplicate))
      return false;
    if (!duplicate.is_found && k == 0 && schema(table).has_primary_key &&
        !(check_gaps(table, row, nullptr, true) &&
          insert_entry(table, row, self))) {
      return false;
    }
    if (!duplicate.is_found) continue;
    if (!insert.on_conflict)
      return fail("1062", "Duplicate entry for key '" + keys[k].name + "'");
    if (self != kNoSelf) write(table, self, nullptr);
    return !is_update || update_duplicate(insert, duplicate.index, row);
  }
  return check_gaps(table, row, nullptr, false) &&
         check_parents(table, row, nullptr) && returning(row);
}

bool MariaDbRun::update_duplicate(const sql::Insert& insert, std::size_t index,
                                  const sql::Row& excluded) {
  const TableId table = insert.target.table;
  const sql::Row old = latest(record(table, index))->row;
  std::optional<sql::Row> row;
  if (!take(evaluator_.on_conflict(insert, old, excluded), row)) return false;
  if (!row) return true;
  if (auto error = evaluator_.check_row(schema(table), *row))
    return raise(*error);
  return replace(table, index, *row) && returning(*row);
}

// A key that was deleted is the same record again; others may wait for it.
bool MariaDbRun::insert_entry(TableId table, const sql::Row& row,
                              std::size_t& index) {
  const StoredRow* stored = around_.rows.intern(row);
  const sql::Table& shape = schema(table);
  const auto& records = state_.table(table).records;
  for (std::size_t i = 0; shape.has_primary_key && i < records.size(); ++i) {
    const Record& there = records[i];
    if (there.anchor == nullptr || latest(there) != nullptr ||
        !same_key(shape.unique.front(), there.anchor->row, row)) {
      continue;
    }
    const Want want{LockMode::Update, 1};
    if (const SessionSet others = blockers(there, want))
      return wait_for(table, i, want, others);
    write(table, i, stored);
    grant_at(table, i, want);
    note_object(table, 0, Object::Table, LockMode::Update);
    index = i;
    return true;
  }
  note_object(table, 0, Object::Table, LockMode::Update);
  index = StatementRun::insert(table, stored);
  return true;
}

bool MariaDbRun::check_gaps(TableId table, const sql::Row& row,
                            const sql::Row* old, bool is_first) {
  const sql::Table& shape = schema(table);
  const std::vector<IndexShape> indexes = indexes_of(shape);
  SessionSet others = 0;
  for (const GapLock& gap : state_.table(table).gaps) {
    if (gap.owner == me_) continue;
    IndexShape index;
    if (gap.index < indexes.size()) index = indexes[gap.index];
    const bool is_clustered = index.is_primary || index.columns.empty();
    if (is_clustered != is_first) continue;
    if (old != nullptr && !differ(index.columns, *old, row)) continue;
    const sql::Row entry = entry_of(shape, index, row);
    const bool is_after =
        gap.after == nullptr || compare_entries(gap.after->row, entry) < 0;
    const bool is_before =
        gap.before == nullptr || compare_entries(entry, gap.before->row) < 0;
    if (is_after && is_before) others |= only(gap.owner);
  }
  if (others == 0) return true;
  drop_waiting();
  return wait(others);
}

bool MariaDbRun::find_duplicate(TableId table, std::size_t constraint,
                                const sql::Row& row, std::size_t self,
                                bool is_exclusive, Duplicate& duplicate) {
  const sql::UniqueKey& key = schema(table).unique[constraint];
  if (has_null(key.columns, row)) return true;
  const std::size_t count = state_.table(table).records.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == self) continue;
    const Record& other = record(table, i);
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr && same_key(key, image->row, row);
    };
    if (other.pending.owner == me_) {
      if (has_key(other.pending.row)) duplicate = {true, i};
      continue;
    }
    // One that was deleted meanwhile is locked all the same.
    const bool is_awaited = std::any_of(
        other.locks.begin(), other.locks.end(),
        [&](const Lock& l) { return l.owner == me_ && l.is_waiting; });
    if (!has_key(other.committed()) && !has_key(other.pending.row) &&
        !(is_awaited && has_key(other.anchor))) {
      continue;
    }
    // Of another index only its own entry is locked, by one who changes it or
    // came that way.
    const bool is_by_key = constraint == 0 && schema(table).has_primary_key;
    const Want want{is_exclusive ? LockMode::Update : LockMode::Share,
                    is_by_key
                        ? std::uint8_t{1}
                        : static_cast<std::uint8_t>(
                              2u << std::min<std::size_t>(constraint, 6))};
    const bool is_changing =
        other.pending.exists() &&
        has_key(other.committed()) != has_key(other.pending.row);
    if (!is_by_key && is_changing) {
      return wait_for(table, i, want,
                      only(other.pending.owner) | blockers(other, want));
    }
    if (!lock(table, i, want)) return false;
    note_object(table, 0, Object::Table, LockMode::Update);
    if (!was_awaited_) {
      note_object(table, static_cast<std::uint32_t>(constraint),
                  locks_gaps() ? Object::NextKey : Object::Row, want.mode);
    }
    if (has_key(record(table, i).committed())) duplicate = {true, i};
  }
  return true;
}

// The row changes, by its primary key, before other keys are tested.
bool MariaDbRun::replace(TableId table, std::size_t index,
                         const sql::Row& row) {
  const sql::Row old = latest(record(table, index))->row;
  if (old == row) return true;  // nothing changes, nothing is written
  const auto& keys = schema(table).unique;
  const bool is_moved =
      schema(table).has_primary_key && differ(keys.front().columns, old, row);
  if (!check_children(table, old, &row)) return false;
  std::size_t self = index;
  if (is_moved) {
    write(table, index, nullptr);
    Duplicate duplicate;
    if (!find_duplicate(table, 0, row, index, false, duplicate)) return false;
    if (duplicate.is_found)
      return fail("1062", "Duplicate entry for key '" + keys[0].name + "'");
    if (!check_gaps(table, row, &old, true) || !insert_entry(table, row, self))
      return false;
  } else {
    write(table, index, around_.rows.intern(row));
  }
  if (!change_entries(table, index, old, is_moved ? nullptr : &row))
    return false;
  for (std::size_t k = is_moved ? 1 : 0; k < keys.size(); ++k) {
    if (!differ(keys[k].columns, old, row)) continue;
    Duplicate duplicate;
    if (!find_duplicate(table, k, row, self, false, duplicate)) return false;
    if (duplicate.is_found)
      return fail("1062", "Duplicate entry for key '" + keys[k].name + "'");
  }
  return check_gaps(table, row, &old, false) && check_parents(table, row, &old);
}

bool MariaDbRun::erase(TableId table, std::size_t index) {
  const StoredRow* old = latest(record(table, index));
  if (!check_children(table, old->row, nullptr)) return false;
  write(table, index, nullptr);
  return change_entries(table, index, old->row, nullptr);
}

// The entries that the row leaves in other indexes may be locked by others.
bool MariaDbRun::change_entries(TableId table, std::size_t index,
                                const sql::Row& old, const sql::Row* row) {
  const std::vector<IndexShape> indexes = indexes_of(schema(table));
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].is_primary) continue;
    if (row != nullptr && !differ(indexes[i].columns, old, *row)) continue;
    const Want want{LockMode::Update, place_of(indexes[i], i)};
    if (const SessionSet others = blockers(record(table, index), want))
      return wait_for(table, index, want, others);
  }
  return true;
}

// The parent is locked for sharing, which waits for any change of it.
bool MariaDbRun::check_parents(TableId table, const sql::Row& row,
                               const sql::Row* old) {
  for (const sql::ForeignKey& key : schema(table).foreign) {
    if (has_null(key.columns, row)) continue;
    if (old != nullptr && !differ(key.columns, *old, row)) continue;
    bool is_found = key.parent == table &&
                    same_values(key.parent_columns, row, key.columns, row);
    const std::size_t count = state_.table(key.parent).records.size();
    for (std::size_t i = 0; i < count && !is_found; ++i) {
      const Record& parent = record(key.parent, i);
      const auto has_key = [&](const StoredRow* image) {
        return image != nullptr &&
               same_values(key.parent_columns, image->row, key.columns, row);
      };
      if (parent.pending.owner == me_) {
        is_found = has_key(parent.pending.row);
        continue;
      }
      if (!has_key(parent.committed()) && !has_key(parent.pending.row)) {
        // Deleted since the snapshot, and met in the index.
        if (has_key(parent.at(session().snapshot)) && !check_unchanged(parent))
          return false;
        continue;
      }
      if (!lock(key.parent, i, {LockMode::Share, 1})) return false;
      note_object(key.parent, 0, Object::Table, LockMode::Share);
      if (!was_awaited_)
        note_object(key.parent, 0, Object::Row, LockMode::Share);
      is_found = has_key(record(key.parent, i).committed());
    }
    if (!is_found) {
      return fail("1452",
                  "Cannot add or update a child row: a foreign key constraint "
                  "fails (`" +
                      key.name + "`)");
    }
  }
  return true;
}

bool MariaDbRun::check_children(TableId table, const sql::Row& old,
                                const sql::Row* row) {
  const auto& tables = around_.schema().tables;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const sql::ForeignKey& key : tables[t].foreign) {
      if (key.parent != table) continue;
      if (row != nullptr && !differ(key.parent_columns, old, *row)) continue;
      if (has_null(key.parent_columns, old)) continue;
      const TableId child(t);
      const std::size_t count = state_.table(child).records.size();
      for (std::size_t i = 0; i < count; ++i) {
        const auto has_key = [&](const StoredRow* image) {
          return image != nullptr &&
                 same_values(key.columns, image->row, key.parent_columns, old);
        };
        const Record& there = record(child, i);
        const bool is_mine = there.pending.owner == me_;
        if (is_mine
                ? !has_key(there.pending.row)
                : !has_key(there.committed()) && !has_key(there.pending.row)) {
          continue;
        }
        const bool is_action =
            row == nullptr && key.on_delete != sql::OnDelete::NoAction;
        const LockMode mode = is_action ? LockMode::Update : LockMode::Share;
        const std::uint8_t place = entry_place(schema(child), key.columns);
        const Want want{
            mode, is_action ? static_cast<std::uint8_t>(place | 1u) : place};
        if (!is_mine && there.pending.exists() &&
            has_key(there.committed()) != has_key(there.pending.row)) {
          return wait_for(child, i, want, only(there.pending.owner));
        }
        if (!lock(child, i, want)) return false;
        note_object(child, 0, Object::Table, mode);
        note_object(child, 7, Object::NextKey, mode);
        const StoredRow* image = latest(record(child, i));
        if (!has_key(image)) continue;
        if (!is_action) {
          return fail("1451",
                      "Cannot delete or update a parent row: a foreign key "
                      "constraint fails (`" +
                          key.name + "`)");
        }
        if (key.on_delete == sql::OnDelete::Cascade) {
          if (!erase(child, i)) return false;
          continue;
        }
        sql::Row emptied = image->row;
        for (const std::uint32_t c : key.columns) emptied[c] = sql::Value();
        if (!replace(child, i, emptied)) return false;
      }
    }
  }
  return true;
}

}  // namespace txscope::engine
