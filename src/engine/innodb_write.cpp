#include <algorithm>

#include "engine/innodb_statement.h"
#include "exec/sql/facts.h"
#include "model/sql/walk.h"

namespace txscope::engine {
namespace {

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

bool InnodbStatement::examine_target(const sql::Relation& target,
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

// An UPDATE that changes the key by which it scans would meet its own rows
// again: the server finds and locks all rows before it changes the first.
bool InnodbStatement::changes_scanned_key(
    const std::vector<Examined>& examined) const {
  const auto* update = std::get_if<sql::Update>(&request_.statement->what);
  if (update == nullptr) return false;
  const std::vector<IndexShape> indexes =
      indexes_of(schema(update->target.table));
  return std::any_of(examined.begin(), examined.end(), [&](const Examined& e) {
    if (!e.is_target || e.is_point || e.index >= indexes.size()) return false;
    const auto& columns = indexes[e.index].columns;
    return std::any_of(
        update->set.begin(), update->set.end(), [&](const sql::SetColumn& set) {
          return std::find(columns.begin(), columns.end(), set.column) !=
                 columns.end();
        });
  });
}

bool InnodbStatement::finds_first() const {
  const auto* remove = std::get_if<sql::Delete>(&request_.statement->what);
  if (remove == nullptr || !remove->where) return false;
  bool is_own = false;
  sql::for_each_table(*remove->where, [&](TableId table) {
    is_own |= table == remove->target.table;
  });
  return is_own;
}

// What was examined is locked in order, and rows are written as their turn
// comes.  Below repeatable-read the scan of an UPDATE tests the last committed
// version of a row that is locked, and waits only if that matches.
bool InnodbStatement::each_target(
    const sql::Relation& target, const std::optional<sql::Expr>& where,
    const std::vector<sql::FoundRow>* found,
    const std::function<bool(const sql::FoundRow&)>& on_target) {
  if (!examine_target(target, where)) return false;
  const bool is_update =
      std::holds_alternative<sql::Update>(request_.statement->what);
  std::vector<Examined> examined = std::exchange(examined_, {});
  // A subquery of the WHERE runs when the first row has been met, unless its
  // value says where to look.
  const auto first =
      std::find_if(examined.begin(), examined.end(),
                   [](const Examined& e) { return e.is_target; });
  if (first != examined.end() && !first->is_point) {
    const auto late = std::find_if(
        examined.begin(), first, [](const Examined& e) { return !e.is_early; });
    std::rotate(late, first, first + 1);
  }
  const bool locks_first = changes_scanned_key(examined) || finds_first();
  std::vector<const Examined*> matches;
  std::vector<std::size_t> done;
  const std::size_t resumed = passed(examined);
  for (std::size_t i = 0; i < examined.size(); ++i) {
    const Examined& e = examined[i];
    if (is_passed(e, i, resumed)) continue;
    const bool is_match = e.is_target && e.has_record && found != nullptr &&
                          has(*found, e.record);
    if (is_update && e.is_target && e.has_record && !locks_gaps() &&
        !e.is_point && !e.is_beyond && !is_match && blockers(e) != 0) {
      continue;
    }
    if (!acquire(e, is_match || keeps(e))) return false;
    if (!is_match || std::count(done.begin(), done.end(), e.record) != 0)
      continue;
    done.push_back(e.record);
    if (locks_first) {
      matches.push_back(&e);
    } else if (!on_target({{e.table, e.record}, e.shown->row})) {
      return false;
    }
  }
  return std::all_of(matches.begin(), matches.end(), [&](const Examined* e) {
    return on_target({{e->table, e->record}, e->shown->row});
  });
}

bool InnodbStatement::lock_conflicting(sql::RowHandle at, sql::LockStrength,
                                       sql::Row& there) {
  there = tip(record(at.table, at.row))->row;
  return true;
}

bool InnodbStatement::put(TableId table, const sql::Row& row,
                          sql::RowHandle& at) {
  std::size_t index = 0;
  note_object(table, 0, Object::Table, LockMode::Update);
  if (!check_gaps(table, row, nullptr, true) ||
      !insert_entry(table, row, index))
    return false;
  at = {table, index};
  return true;
}

void InnodbStatement::take_back(sql::RowHandle at) {
  write(at.table, at.row, nullptr);
}

bool InnodbStatement::finish_keys(sql::RowHandle at, const sql::Row& row,
                                  const sql::Row* old) {
  return check_gaps(at.table, row, old, false);
}

// A key that was deleted is the same record again; others may wait for it.
bool InnodbStatement::insert_entry(TableId table, const sql::Row& row,
                                   std::size_t& index) {
  const StoredRow* stored = around_.rows.intern(row);
  const sql::Table& shape = schema(table);
  const auto& records = state_.table(table).records;
  for (std::size_t i = 0; shape.has_primary_key && i < records.size(); ++i) {
    const Record& there = records[i];
    if (there.anchor == nullptr || tip(there) != nullptr ||
        !same_key(shape.unique.front(), there.anchor->row, row)) {
      continue;
    }
    const Want want{LockMode::Update, 1};
    if (const SessionSet others = blockers(there, want))
      return wait_for(table, i, want, others);
    write(table, i, stored);
    grant_at(table, i, want);
    index = i;
    return true;
  }
  index = VersionedStatement::insert(table, stored);
  return true;
}

bool InnodbStatement::check_gaps(TableId table, const sql::Row& row,
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

bool InnodbStatement::find_duplicate(TableId table, std::size_t constraint,
                                     const sql::Row& row, sql::RowHandle self,
                                     Purpose purpose,
                                     std::optional<Match>& found) {
  const sql::UniqueKey& key = schema(table).key_at(constraint);
  const std::size_t count = state_.table(table).records.size();
  const bool has_self = self.table != kNone<TableId>;
  std::optional<std::size_t> duplicate;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_self && i == self.row) continue;
    const Record& other = record(table, i);
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr && same_key(key, image->row, row);
    };
    if (other.pending.owner == me_) {
      if (has_key(other.pending.row)) duplicate = i;
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
    const Want want{
        purpose == Purpose::Exclusive ? LockMode::Update : LockMode::Share,
        is_by_key ? std::uint8_t{1}
                  : static_cast<std::uint8_t>(
                        2u << std::min<std::size_t>(constraint, 6))};
    const bool is_changing =
        other.pending.exists() &&
        has_key(other.committed()) != has_key(other.pending.row);
    if (!is_by_key && is_changing) {
      return wait_for(table, i, want,
                      only(other.pending.owner) | blockers(other, want));
    }
    if (!lock_record(table, i, want)) return false;
    note_object(table, 0, Object::Table, LockMode::Update);
    if (!was_awaited_) {
      note_object(table, static_cast<std::uint32_t>(constraint),
                  locks_gaps() ? Object::NextKey : Object::Row, want.mode);
    }
    if (has_key(record(table, i).committed())) duplicate = i;
  }
  if (duplicate)
    found = Match{{table, *duplicate}, tip(record(table, *duplicate))->row};
  return true;
}

bool InnodbStatement::replace(sql::RowHandle at, const sql::Row& old,
                              const sql::Row& row) {
  write(at.table, at.row, around_.rows.intern(row));
  return change_entries(at.table, at.row, old, &row);
}

bool InnodbStatement::erase(sql::RowHandle at, const sql::Row& old) {
  write(at.table, at.row, nullptr);
  return change_entries(at.table, at.row, old, nullptr);
}

bool InnodbStatement::leave(sql::RowHandle at, const sql::Row&) {
  write(at.table, at.row, nullptr);
  return true;
}

bool InnodbStatement::move(sql::RowHandle at, const sql::Row& old,
                           const sql::Row& row, sql::RowHandle& now) {
  std::size_t index = 0;
  if (!check_gaps(at.table, row, &old, true) ||
      !insert_entry(at.table, row, index)) {
    return false;
  }
  now = {at.table, index};
  return change_entries(at.table, at.row, old, nullptr);
}

// The entries that the row leaves in other indexes may be locked by others.
bool InnodbStatement::change_entries(TableId table, std::size_t index,
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
bool InnodbStatement::find_parent(const sql::ForeignKey& key,
                                  const sql::Row& child, bool& is_found) {
  const std::size_t count = state_.table(key.parent).records.size();
  for (std::size_t i = 0; i < count && !is_found; ++i) {
    const Record& parent = record(key.parent, i);
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr &&
             same_values(key.parent_columns, image->row, key.columns, child);
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
    if (!lock_record(key.parent, i, {LockMode::Share, 1})) return false;
    note_object(key.parent, 0, Object::Table, LockMode::Share);
    if (!was_awaited_) note_object(key.parent, 0, Object::Row, LockMode::Share);
    is_found = has_key(record(key.parent, i).committed());
  }
  return true;
}

bool InnodbStatement::find_children(TableId child, const sql::ForeignKey&,
                                    const sql::Row&,
                                    std::vector<sql::RowHandle>& children) {
  const std::size_t count = state_.table(child).records.size();
  for (std::size_t i = 0; i < count; ++i) children.push_back({child, i});
  return true;
}

bool InnodbStatement::lock_child(sql::RowHandle at, const sql::ForeignKey& key,
                                 const sql::Row& parent,
                                 sql::LockStrength strength,
                                 std::optional<sql::Row>& row) {
  const TableId child = at.table;
  const auto has_key = [&](const StoredRow* image) {
    return image != nullptr &&
           same_values(key.columns, image->row, key.parent_columns, parent);
  };
  const Record& there = record(child, at.row);
  const bool is_mine = there.pending.owner == me_;
  if (is_mine ? !has_key(there.pending.row)
              : !has_key(there.committed()) && !has_key(there.pending.row)) {
    return true;
  }
  const bool is_action = strength != sql::LockStrength::KeyShare;
  const LockMode mode = is_action ? LockMode::Update : LockMode::Share;
  const std::uint8_t place = entry_place(schema(child), key.columns);
  const Want want{mode,
                  is_action ? static_cast<std::uint8_t>(place | 1u) : place};
  if (!is_mine && there.pending.exists() &&
      has_key(there.committed()) != has_key(there.pending.row)) {
    return wait_for(child, at.row, want, only(there.pending.owner));
  }
  if (!lock_record(child, at.row, want)) return false;
  note_object(child, 0, Object::Table, mode);
  note_object(child, 7, Object::NextKey, mode);
  const StoredRow* image = tip(record(child, at.row));
  if (has_key(image)) row = image->row;
  return true;
}

}  // namespace txscope::engine
