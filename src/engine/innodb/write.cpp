#include <algorithm>

#include "engine/innodb/statement.h"
#include "exec/sql/query/facts.h"
#include "model/sql/walk.h"

namespace txscope::engine {
namespace {

bool has(const std::vector<sql::FoundRow>& found, std::size_t record) {
  return std::any_of(found.begin(), found.end(), [&](const sql::FoundRow& f) {
    return f.handle.row == record;
  });
}

/// Where a record is among rows that were sorted.
std::ptrdiff_t place_in(const std::vector<sql::FoundRow>& found,
                        std::size_t record) {
  return std::find_if(
             found.begin(), found.end(),
             [&](const sql::FoundRow& f) { return f.handle.row == record; }) -
         found.begin();
}

const sql::RowChoice& choice_of(const sql::DbStatement& statement) {
  const auto* update = std::get_if<sql::Update>(&statement.what);
  return update != nullptr ? update->choice
                           : std::get<sql::Delete>(statement.what).choice;
}

}  // namespace

bool InnodbStatement::examine_target(const sql::Relation& target,
                                     const std::optional<sql::Expr>& where) {
  if (!where || !sql::facts_of(*where).has_query ||
      compares_key(target, *where))
    return true;
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

// The server asks for the value of a subquery that some column of an index is
// compared with before it looks at a row, since it may say where to look.
bool InnodbStatement::compares_key(const sql::Relation& target,
                                   const sql::Expr& where) const {
  using sql::Op;
  if (where.op == Op::And) {
    return std::any_of(
        where.args.begin(), where.args.end(),
        [&](const sql::Expr& part) { return compares_key(target, part); });
  }
  if (where.op < Op::Equal || where.op > Op::GreaterEqual) return false;
  const std::vector<IndexShape> indexes = indexes_of(schema(target.table));
  const auto is_key = [&](const sql::Expr& e) {
    return e.op == Op::Column && e.level == 0 &&
           std::any_of(indexes.begin(), indexes.end(),
                       [&](const IndexShape& index) {
                         return std::count(index.columns.begin(),
                                           index.columns.end(), e.index) != 0;
                       });
  };
  return (is_key(where.args[0]) && sql::facts_of(where.args[1]).has_query) ||
         (is_key(where.args[1]) && sql::facts_of(where.args[0]).has_query);
}

// What subqueries of SET read: min() and max() of an index before the first
// row, all rows when that has been found; what has a condition is locked when
// it is evaluated.
bool InnodbStatement::acquire_set_reads(bool is_early) {
  const auto* update = std::get_if<sql::Update>(&request_.statement->what);
  if (update == nullptr) return true;
  std::vector<Examined> later = std::exchange(examined_, {});
  const std::function<void(const sql::Expr&)> find = [&](const sql::Expr& e) {
    sql::for_each_part(e, find, [&](const sql::Query& query) {
      if (query.relations.size() != 1 ||
          query.relations[0].table != update->target.table) {
        return;
      }
      sql::Access access;
      access.table = query.relations[0].table;
      access.relation = query.relations.data();
      const Reading reading = reading_of(access);
      const bool is_extreme =
          path_to_extreme(access, ranges_of(access)).has_value();
      if (reading != Reading::Plain && is_extreme == is_early &&
          (is_extreme || !query.where)) {
        (void)scan_locking(access, reading,
                           [](sql::RowHandle, const sql::Row&) {});
      }
    });
  };
  for (const sql::SetColumn& set : update->set)
    if (set.value) find(*set.value);
  if (!acquire_all()) return false;
  examined_ = std::move(later);
  return true;
}

// An UPDATE that looks at its own table in SET, or a DELETE that looks at it
// elsewhere: rows are found first, then changed.
bool InnodbStatement::finds_first() const {
  bool is_own = false;
  const auto look = [&](TableId target, const sql::Expr& e) {
    sql::for_each_table(e, [&](TableId table) { is_own |= table == target; });
  };
  if (const auto* remove =
          std::get_if<sql::Delete>(&request_.statement->what)) {
    if (remove->where) look(remove->target.table, *remove->where);
  }
  if (const auto* update =
          std::get_if<sql::Update>(&request_.statement->what)) {
    for (const sql::SetColumn& set : update->set)
      if (set.value) look(update->target.table, *set.value);
  }
  return is_own;
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
    if (!e.is_target || e.is_point) return false;
    const auto& columns = indexes[e.want.index].columns;
    return std::any_of(
        update->set.begin(), update->set.end(), [&](const sql::SetColumn& set) {
          return std::find(columns.begin(), columns.end(), set.column) !=
                 columns.end();
        });
  });
}

// What was examined is locked in order, and rows are written as their turn
// comes.  Below repeatable-read the scan of an UPDATE tests the last committed
// version of a row that is locked, and waits only if that matches.
bool InnodbStatement::each_target(
    const sql::Relation& target, const std::optional<sql::Expr>& where,
    const std::vector<sql::FoundRow>* found, const sql::Window& window,
    const std::function<bool(const sql::FoundRow&)>& on_target) {
  if (!acquire_set_reads(true) || !examine_target(target, where)) return false;
  const bool is_update =
      std::holds_alternative<sql::Update>(request_.statement->what);
  std::vector<Examined> examined = std::exchange(examined_, {});
  // A subquery of the WHERE runs when the first row has been met, unless its
  // value says where to look.
  const auto first =
      std::find_if(examined.begin(), examined.end(),
                   [](const Examined& e) { return e.is_target; });
  if (first != examined.end() && !(where && compares_key(target, *where))) {
    const auto late = std::find_if(
        examined.begin(), first, [](const Examined& e) { return !e.is_early; });
    std::rotate(late, first, first + 1);
  }
  const sql::RowChoice& choice = choice_of(*request_.statement);
  const bool is_sorted =
      turn(key_order(choice.order_by, where, schema(target.table)),
           !choice.order_by.empty(), examined) == KeyOrder::None;
  const std::uint64_t most = window.limit.value_or(~std::uint64_t{0});
  const bool locks_first =
      is_sorted || changes_scanned_key(examined) || finds_first();
  std::vector<const Examined*> matches;
  std::vector<std::size_t> done;
  const std::size_t resumed = passed(examined);
  for (std::size_t i = 0; i < examined.size(); ++i) {
    if (!is_sorted && done.size() >= most) break;
    const Examined& e = examined[i];
    if (is_passed(e, i, resumed)) continue;
    const bool is_match = e.is_target && e.shown != nullptr &&
                          found != nullptr && has(*found, e.record);
    if (is_update && e.is_target && e.has_record && !locks_gaps() &&
        !e.is_point && e.want.index == clustered_index(schema(e.table)) &&
        !is_match && is_blocked(e)) {
      continue;
    }
    if (!acquire(e, is_match || keeps(e))) return false;
    if (!is_match || std::count(done.begin(), done.end(), e.record) != 0)
      continue;
    done.push_back(e.record);
    if (done.size() == 1 && !acquire_set_reads(false)) return false;
    if (locks_first) {
      matches.push_back(&e);
    } else if (!on_target({{e.table, e.record}, e.shown->row})) {
      return false;
    }
  }
  if (is_sorted && found != nullptr) {
    std::sort(matches.begin(), matches.end(),
              [&](const Examined* a, const Examined* b) {
                return place_in(*found, a->record) <
                       place_in(*found, b->record);
              });
  }
  if (matches.size() > most) matches.resize(most);
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
  intend(table, LockMode::Update);
  if (!insert_row(table, row, index)) return false;
  at = {table, index};
  return true;
}

void InnodbStatement::take_back(sql::RowHandle at) {
  write(at.table, at.row, nullptr);
}

InnodbStatement::Place InnodbStatement::find_place(TableId table,
                                                   const sql::Row& row) const {
  const StoredRow* key =
      around_.rows.intern(place_of(schema(table), state_.table(table), row));
  const Records& records = state_.table(table).records;
  Records::Equal equal;
  if (schema(table).has_primary_key)
    for (const std::uint32_t c : schema(table).unique.front().columns)
      equal.emplace_back(c, row[c]);
  std::size_t there = records.size();
  records.for_each_that_may(equal, [&](std::size_t i, const Record& record) {
    if (record.place == key) there = i;
  });
  return {key, there};
}

// A key that was deleted, and that somebody may still need, is the same record
// again.
bool InnodbStatement::insert_row(TableId table, const sql::Row& row,
                                 std::size_t& index) {
  const sql::Table& shape = schema(table);
  const IndexShape clustered = indexes_of(shape)[clustered_index(shape)];
  const Place at = find_place(table, row);
  const StoredRow* place = at.key;
  index = at.record;
  const bool is_there = index < state_.table(table).records.size();
  if (!pass([&] { return enter_at(table, clustered, place, index); })) {
    return false;
  }
  if (!is_there) {
    session().touched |= touch_bit(table.index);
    state_.change(table).records.add().place = place;
  }
  write(table, index, around_.rows.intern(row));
  return true;
}

// An entry that is there, but only marked, is locked to be used again; else the
// gap must be free.
bool InnodbStatement::enter_at(TableId table, const IndexShape& index,
                               const StoredRow* entry, std::size_t record_no) {
  const auto columns = static_cast<std::ptrdiff_t>(index.columns.size());
  const sql::Row key(entry->row.begin(), entry->row.begin() + columns);
  const std::vector<IndexEntry> entries =
      entries_at(state_.table(table), index, key);
  const auto next =
      std::find_if(entries.begin(), entries.end(), [&](const IndexEntry& e) {
        return compare_entries(entry->row, e.key) <= 0;
      });
  if (next != entries.end() && compare_entries(entry->row, next->key) == 0) {
    const Want want{index.number, entry, LockMode::Update, Kind::Entry};
    if (index.is_clustered) {
      if (record(table, record_no).pending.owner == me_) return true;
      make_explicit(table, record_no, want);
    }
    if (page_locks(table).ask(me_, want, true, locks_gaps()) ==
        PageLocks::Reply::Waits) {
      return wait_at(table, want);
    }
    return true;
  }
  const StoredRow* behind =
      next == entries.end() ? nullptr : around_.rows.intern(next->key);
  PageLocks locks = page_locks(table);
  if (locks.ask_to_insert(me_, index.number, behind, locks_gaps()) ==
      PageLocks::Reply::Waits) {
    return wait_at(table,
                   {index.number, behind, LockMode::Update, Kind::Intention});
  }
  locks.split_gap(index.number, entry, behind);
  return true;
}

// The entry that the row leaves may be locked by others.
bool InnodbStatement::mark_entry(sql::RowHandle at, const IndexShape& index,
                                 const StoredRow* row) {
  const StoredRow* old = current_in(index, record(at.table, at.row));
  if (old == nullptr) return true;
  const Record& there = record(at.table, at.row);
  if (row != nullptr && !differ(index.columns, old->row, row->row)) return true;
  const Want want{
      index.number,
      around_.rows.intern(entry_of(index, old->row, there.place->row)),
      LockMode::Update, Kind::Entry};
  const bool is_free = pass([&] {
    return page_locks(at.table).ask(me_, want, true, locks_gaps()) !=
               PageLocks::Reply::Waits ||
           wait_at(at.table, want);
  });
  if (is_free) come_to(at, index, row == nullptr);
  return is_free;
}

bool InnodbStatement::mark_in(sql::RowHandle at, const IndexShape& index) {
  if (left_ && left_->now.table == at.table && left_->now.row == at.row)
    return mark_entry(left_->at, index, nullptr);
  return mark_entry(at, index, record(at.table, at.row).pending.row);
}

// The old entry of the row is marked; `is_all`: and the new one is made.
void InnodbStatement::come_to(sql::RowHandle at, const IndexShape& index,
                              bool is_all) {
  change(at.table, at.row).pending.entered =
      static_cast<std::uint16_t>(2 * index.number + (is_all ? 2 : 1));
}

// A change comes to an index: the old entry is marked, a new one is made.
bool InnodbStatement::enter_index(sql::RowHandle at, const IndexShape& index) {
  if (index.is_clustered ||
      record(at.table, at.row).pending.entered > 2 * index.number + 1) {
    return true;
  }
  if (!mark_in(at, index)) return false;
  const Record& there = record(at.table, at.row);
  const StoredRow* row = there.pending.row;
  const StoredRow* entry =
      around_.rows.intern(entry_of(index, row->row, there.place->row));
  const bool is_new = current_in(index, there) == nullptr;
  std::optional<Match> none;
  if (is_new && index.is_unique && scanned_ != index.number &&
      !has_null(index.columns, row->row) &&
      !scan_duplicates(at, index, row->row, LockMode::Share, none)) {
    return false;
  }
  scanned_ = kNoIndex;
  if (is_new && !pass([&] { return enter_at(at.table, index, entry, at.row); }))
    return false;
  come_to(at, index, true);
  return true;
}

bool InnodbStatement::enter_key(sql::RowHandle at, std::size_t key) {
  return enter_index(at, indexes_of(schema(at.table))[key]);
}

bool InnodbStatement::finish_keys(sql::RowHandle at, const sql::Row&,
                                  const sql::Row*) {
  const std::vector<IndexShape> indexes = indexes_of(schema(at.table));
  return std::all_of(
      indexes.begin(), indexes.end(),
      [&](const IndexShape& index) { return enter_index(at, index); });
}

// Every entry with the key is locked, with the gap before it, until one is
// found that is a row; else also the entry behind them.
bool InnodbStatement::scan_duplicates(sql::RowHandle self,
                                      const IndexShape& index,
                                      const sql::Row& row, LockMode mode,
                                      std::optional<Match>& found) {
  const TableId table = self.table;
  sql::Row key;
  for (const std::uint32_t c : index.columns) key.push_back(row[c]);
  const std::vector<IndexEntry> entries =
      entries_at(state_.table(table), index, key);
  auto e = std::find_if(entries.begin(), entries.end(),
                        [&](const IndexEntry& entry) {
                          return compare_entries(entry.key, key) >= 0;
                        });
  if (e == entries.end() || compare_entries(e->key, key) != 0) return true;
  for (;; ++e) {
    const bool is_end = e == entries.end();
    const Want want{index.number, is_end ? nullptr : intern(e->key), mode,
                    Kind::NextKey};
    const std::size_t record_no = is_end ? kNoRecord : e->record;
    if (!pass([&] { return lock_entry(table, record_no, want); })) return false;
    if (is_end || compare_entries(e->key, key) != 0) return true;
    // Nor is the row in its own way, where REPLACE has put it in the place of
    // one with the same key.
    if (e->is_deleted || e->record == self.row) continue;
    found = Match{{table, e->record}, tip(record(table, e->record))->row};
    return true;
  }
}

bool InnodbStatement::find_duplicate(TableId table, std::size_t constraint,
                                     const sql::Row& row, sql::RowHandle self,
                                     Purpose purpose,
                                     std::optional<Match>& found) {
  const sql::Table& shape = schema(table);
  const IndexShape index = indexes_of(shape)[constraint];
  const LockMode mode =
      purpose == Purpose::Exclusive ? LockMode::Update : LockMode::Share;
  intend(table, LockMode::Update);
  if (!index.is_clustered) {
    if (self.table == kNone<TableId>) {
      self = {table, kNoRecord};
    } else if (!mark_in(self, index)) {
      return false;
    }
    scanned_ = index.number;
    return scan_duplicates(self, index, row, mode, found);
  }
  const Place at = find_place(table, row);
  const std::size_t record_no = at.record;
  if (record_no == state_.table(table).records.size()) return true;
  const Want want{index.number, at.key, mode, Kind::Entry};
  if (!pass([&] { return lock_entry(table, record_no, want); })) return false;
  if (const StoredRow* image = tip(record(table, record_no)))
    found = Match{{table, record_no}, image->row};
  return true;
}

void InnodbStatement::write_row(sql::RowHandle at, const StoredRow* row) {
  write(at.table, at.row, row);
  if (std::exchange(is_counted_, false)) --session().writes;
}

bool InnodbStatement::replace(sql::RowHandle at, const sql::Row&,
                              const sql::Row& row) {
  write_row(at, around_.rows.intern(row));
  return true;
}

bool InnodbStatement::erase(sql::RowHandle at, const sql::Row&) {
  write_row(at, nullptr);
  // Who puts a row in its place, as REPLACE does, meets its marked entries.
  const bool is_replace =
      sql::chooses_rows(*request_.statement) &&
      std::holds_alternative<sql::Insert>(request_.statement->what);
  const std::vector<IndexShape> indexes = indexes_of(schema(at.table));
  return std::all_of(indexes.begin(), indexes.end(),
                     [&](const IndexShape& index) {
                       if (index.is_clustered) return true;
                       if (!mark_entry(at, index, nullptr)) return false;
                       if (is_replace) come_to(at, index, true);
                       return true;
                     });
}

bool InnodbStatement::leave(sql::RowHandle at, const sql::Row&) {
  write_row(at, nullptr);
  return true;
}

bool InnodbStatement::move(sql::RowHandle at, const sql::Row&,
                           const sql::Row& row, sql::RowHandle& now) {
  std::size_t index = 0;
  if (!insert_row(at.table, row, index)) return false;
  now = {at.table, index};
  left_ = Left{at, now};
  return true;
}

}  // namespace txscope::engine
