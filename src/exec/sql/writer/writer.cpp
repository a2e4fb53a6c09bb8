#include "exec/sql/writer/writer.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::sql {

LockStrength strength_of_update(const Table& table, const Row& old,
                                const Row& row) {
  const bool is_key = std::any_of(
      table.unique.begin(), table.unique.end(),
      [&](const UniqueKey& key) { return differ(key.columns, old, row); });
  return is_key ? LockStrength::Update : LockStrength::NoKeyUpdate;
}

LockStrength strength_of_set(const Table& table,
                             std::span<const SetColumn> set) {
  const auto is_key_column = [&](const SetColumn& column) {
    return std::any_of(
        table.unique.begin(), table.unique.end(), [&](const UniqueKey& key) {
          return std::count(key.columns.begin(), key.columns.end(),
                            column.column) != 0;
        });
  };
  return std::any_of(set.begin(), set.end(), is_key_column)
             ? LockStrength::Update
             : LockStrength::NoKeyUpdate;
}

bool Writer::run(const DbStatement& statement, std::uint64_t max_rows) {
  has_parts_ = !statement.parts.empty();
  const bool goes_on =
      run_parts(statement, 0, statement.parts_before) &&
      run_alone(statement, max_rows) &&
      run_parts(statement, statement.parts_before, statement.parts.size()) &&
      finish_rows();
  SqlError& error = db_.end().error;
  if (!goes_on && error.at.line == 0) error.at = statement.at;
  return goes_on;
}

bool Writer::run_parts(const DbStatement& statement, std::size_t from,
                       std::size_t to) {
  if (from == to) return true;
  if (!rules_.runs_parts) {
    return db_.end().undecided(
        "a statement inside another one is not followed at this level");
  }
  StatementResult& result = db_.end().result;
  for (std::size_t i = from; i < to; ++i) {
    const StatementPart& part = statement.parts[i];
    StatementResult mine = std::exchange(result, {});
    if (!run_alone(*part.statement, part.max_rows)) return false;
    evaluator_.give(std::move(result.rows));
    mine.deferred.insert(mine.deferred.end(), result.deferred.begin(),
                         result.deferred.end());
    result = std::move(mine);
  }
  return true;
}

bool Writer::run_alone(const DbStatement& statement, std::uint64_t max_rows) {
  returning_ = statement.returning;
  max_rows_ = max_rows;
  set_ = {};
  if (statement.locks != nullptr) return execute(*statement.locks);
  if (!statement.checks.empty() || statement.sets_constraints)
    return execute(statement.checks);
  return std::visit([&](const auto& what) { return execute(what); },
                    statement.what);
}

bool Writer::is_own_change(RowHandle at) const {
  return has_parts_ &&
         std::find(written_.begin(), written_.end(), at) != written_.end();
}

bool Writer::breaks(Broken what, std::string_view key, TableId table,
                    std::string_view child) {
  return db_.end().fail(
      error_of(rules_, what, key, schema_.at(table).name, child));
}

bool Writer::check_row(TableId table, const Row& row) {
  if (auto error = evaluator_.check_row(schema_.at(table), row))
    return raise(std::move(*error));
  return true;
}

bool Writer::give_back(const Row& row) {
  StatementResult& result = db_.end().result;
  ++result.count;
  if (returning_.empty()) return true;
  Row values;
  if (!take_read(evaluator_.returning(returning_, row), values)) return false;
  result.rows.push_back(std::move(values));
  return true;
}

bool Writer::execute(const ExplicitLock& lock) {
  std::vector<std::int64_t> key;
  bool is_null = false;
  for (const Expr& part : lock.key) {
    Value value;
    if (!take_read(evaluator_.value(part), value)) return false;
    is_null |= value.is_null();
    key.push_back(value.is_null() ? 0 : value.integer());
  }
  bool is_done = true;
  if (!is_null && !db_.lock_object(lock, key, is_done)) return false;
  if (!lock.is_advisory()) return true;
  const bool tells = (lock.gives_up || lock.is_released) && !lock.releases_all;
  const Value told = is_null ? Value()
                     : tells ? Value::boolean(is_done)
                             : Value::text("");
  db_.end().result.rows = {{told}};
  db_.end().result.count = 1;
  return true;
}

// --- SELECT

bool Writer::execute(const Select& query) {
  const bool is_summed =
      query->is_grouped || query->is_distinct || !query->windows.empty();
  if (db_.locks(*query))
    return is_summed ? lock_and_sum(*query) : select_and_lock(*query);
  StatementResult& result = db_.end().result;
  if (!take_read(evaluator_.select(*query, max_rows_), result.rows))
    return false;
  result.count = result.rows.size();
  return true;
}

// ORDER BY is the snapshot's; rows are locked and tested again one by one until
// LIMIT are found, those that OFFSET leaves out, too; nothing is sorted again.
bool Writer::select_and_lock(const Query& query) {
  auto evaluated = evaluator_.candidates(query);
  Window window;
  std::vector<JoinedRow> candidates;
  auto bounds = evaluator_.window(query);
  if (const auto* known = std::get_if<Window>(&bounds)) window = *known;
  if (!db_.lock_examined(query, std::get_if<std::vector<JoinedRow>>(&evaluated),
                         window) ||
      !take(std::move(evaluated), candidates) ||
      !take(std::move(bounds), window)) {
    return false;
  }
  std::vector<Row>& rows = db_.end().result.rows;
  std::uint64_t passed = 0;
  for (JoinedRow& joined : candidates) {
    if (window.limit && rows.size() >= *window.limit) break;
    if (max_rows_ != 0 && rows.size() >= max_rows_) break;
    bool is_gone = false;
    if (!lock_joined(query, joined, is_gone)) return false;
    if (is_gone) continue;
    std::optional<Row> row;
    if (!take(evaluator_.recheck(query, joined), row)) return false;
    if (row && passed++ >= window.offset) rows.push_back(std::move(*row));
  }
  db_.end().result.count = rows.size();
  return true;
}

bool Writer::lock_joined(const Query& query, JoinedRow& joined, bool& is_gone) {
  for (std::size_t i = 0; i < joined.handles.size(); ++i) {
    const RowHandle& handle = joined.handles[i];
    if (handle.table == kNone<TableId>) continue;
    if (i < query.is_locked.size() && !query.is_locked[i]) continue;
    Database::Locked locked;
    const auto if_locked = query.skips_locked ? Database::IfLocked::Skip
                           : query.is_nowait  ? Database::IfLocked::Fail
                                              : Database::IfLocked::Wait;
    if (!is_own_change(handle) &&
        !db_.lock(handle, query.lock, if_locked, locked)) {
      return false;
    }
    if (locked.is_gone || is_own_change(handle)) {
      is_gone = true;
      return true;
    }
    if (locked.is_changed) joined.rows[i] = std::move(locked.row);
  }
  return true;
}

// Where a product allows it: the rows behind the sums are locked, then summed.
bool Writer::lock_and_sum(const Query& query) {
  auto evaluated = evaluator_.candidates(query);
  std::vector<JoinedRow> candidates;
  if (!db_.lock_examined(query, std::get_if<std::vector<JoinedRow>>(&evaluated),
                         {}) ||
      !take(std::move(evaluated), candidates)) {
    return false;
  }
  for (JoinedRow& joined : candidates) {
    bool is_gone = false;
    if (!lock_joined(query, joined, is_gone)) return false;
  }
  StatementResult& result = db_.end().result;
  if (!take_read(evaluator_.select(query, max_rows_), result.rows))
    return false;
  result.count = result.rows.size();
  return true;
}

// --- INSERT

bool Writer::execute(const Insert& insert) {
  const TableId table = insert.target.table;
  const bool may_update = insert.on_conflict && insert.on_conflict->is_update;
  if (may_update) set_ = insert.on_conflict->set;
  return fire_statement(table, Change::Insert, true) &&
         (!may_update || fire_statement(table, Change::Update, true)) &&
         insert_rows(insert) &&
         (!may_update || end_rows(table, Change::Update)) &&
         end_rows(table, Change::Insert);
}

bool Writer::insert_rows(const Insert& insert) {
  if (rules_.makes_rows_first) {
    std::vector<Row> rows;
    return take_read(evaluator_.rows_to_insert(insert, db_), rows) &&
           std::all_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return insert_row(insert, row); });
  }
  Done done;
  return take(evaluator_.each_row_to_insert(insert, db_,
                                            [&](const Row& row) {
                                              return db_.keep_reads() &&
                                                     insert_row(insert, row);
                                            }),
              done);
}

bool Writer::insert_row(const Insert& insert, Row row) {
  bool is_skipped = false;
  if (!fire(insert.target.table, Change::Insert, kBeforeRow, nullptr, &row,
            is_skipped)) {
    return false;
  }
  if (is_skipped) return true;
  return check_row(insert.target.table, row) && place_row(insert, row);
}

bool Writer::place_row(const Insert& insert, const Row& row) {
  if (insert.on_conflict && rules_.has_arbiters) {
    std::optional<Database::Match> there;
    if (!find_arbiter(insert, row, there)) return false;
    if (there) return conflict(insert, *there, row);
  }
  return put(insert, row);
}

bool Writer::find_arbiter(const Insert& insert, const Row& row,
                          std::optional<Database::Match>& found) {
  const TableId table = insert.target.table;
  for (std::size_t k = 0; k < schema_.at(table).key_count(); ++k) {
    if (!insert.on_conflict->is_arbiter(k)) continue;
    if (is_deferrable(schema_.at(table).key_at(k))) {
      SqlError error;
      error.sqlstate = "55000";
      error.message =
          "ON CONFLICT does not support deferrable unique "
          "constraints/exclusion constraints as arbiters";
      return raise(error);
    }
    if (!test_key(table, k, row, {}, Database::Purpose::Arbiter, found))
      return false;
    if (found) return true;
  }
  return true;
}

// The latest version is updated, even if the statement does not see it.
bool Writer::conflict(const Insert& insert, const Database::Match& there,
                      const Row& excluded) {
  const OnConflict& conflict = *insert.on_conflict;
  const TableId table = insert.target.table;
  if (conflict.is_replace)
    return remove_duplicate(there) && place_row(insert, excluded);
  if (!conflict.is_update) return db_.meet(there.at);
  if (rules_.has_arbiters &&
      std::find(written_.begin(), written_.end(), there.at) != written_.end())
    return breaks(Broken::SecondChange, {}, table);
  Row old;
  if (!db_.lock_conflicting(
          there.at, strength_of_set(schema_.at(table), conflict.set), old)) {
    return false;
  }
  std::optional<Row> row;
  if (!take_read(evaluator_.on_conflict(insert, old, excluded, &db_), row))
    return false;
  if (!row) return true;
  bool is_skipped = false;
  if (!fire(table, Change::Update, kBeforeRow, &old, &*row, is_skipped))
    return false;
  if (is_skipped) return true;
  StatementResult& result = db_.end().result;
  if (rules_.counts_duplicates_twice && *row != old) ++result.count;
  if (*row == old) ++result.unchanged;
  return is_untouched(there.at, old, Change::Update) &&
         check_row(table, *row) && replace(there.at, old, *row) &&
         give_back(*row);
}

// REPLACE deletes whatever is in the way, as DELETE would.
bool Writer::remove_duplicate(const Database::Match& there) {
  Row old;
  bool is_skipped = false;
  if (!db_.lock_conflicting(there.at, LockStrength::Update, old) ||
      !fire(there.at.table, Change::Delete, kBeforeRow, &old, nullptr,
            is_skipped) ||
      !erase(there.at, old)) {
    return false;
  }
  ++db_.end().result.count;
  return true;
}

bool Writer::put(const Insert& insert, const Row& row) {
  const TableId table = insert.target.table;
  const Table& shape = schema_.at(table);
  const bool meets_duplicates = insert.on_conflict && !rules_.has_arbiters;
  const auto purpose = meets_duplicates && (insert.on_conflict->is_update ||
                                            insert.on_conflict->is_replace)
                           ? Database::Purpose::Exclusive
                           : Database::Purpose::Enter;
  RowHandle at;
  bool is_put = !rules_.is_clustered || !shape.has_primary_key;
  if (is_put && !db_.put(table, row, at)) return false;
  for (std::size_t k = 0; k < shape.key_count(); ++k) {
    std::optional<Database::Match> there;
    const bool goes_on = is_put ? pass_key(at, k, row, purpose, there)
                                : test_key(table, k, row, at, purpose, there);
    if (!goes_on) return false;
    if (there && !meets_duplicates) return duplicates(shape.key_at(k), table);
    if (there) {
      if (is_put) db_.take_back(at);
      return conflict(insert, *there, row);
    }
    if (is_put) continue;
    if (!db_.put(table, row, at) || !db_.enter_key(at, k)) return false;
    is_put = true;
  }
  written_.push_back(at);
  if (rules_.checks_foreign_keys_by_row &&
      !check_parents(table, row, nullptr)) {
    return false;
  }
  if (!db_.finish_keys(at, row, nullptr)) return false;
  return follow({at, std::nullopt, row, {}, {}}) && give_back(row);
}

// --- UPDATE and DELETE

bool Writer::execute(const Update& update) {
  const TableId table = update.target.table;
  set_ = update.set;
  if (!fire_statement(table, Change::Update, true)) return false;
  Window window;
  if (!take(evaluator_.window(update.choice), window)) return false;
  auto evaluated = evaluator_.targets(update);
  std::vector<FoundRow> all;
  return db_.each_target(update.target, update.where,
                         std::get_if<std::vector<FoundRow>>(&evaluated), window,
                         [&](const FoundRow& target) {
                           return update_row(update, target);
                         }) &&
         take(std::move(evaluated), all) && end_rows(table, Change::Update);
}

// Constraints are tested before the row is locked, on the version that was
// shown, and again on the latest one if that is another.
bool Writer::update_row(const Update& update, const FoundRow& target) {
  const TableId table = update.target.table;
  if (is_own_change(target.handle)) return true;
  if (has_triggers(table, Change::Update, kBeforeRow))
    return update_with_triggers(update, target);
  Row old = target.row;
  Row row;
  for (bool is_first = true;; is_first = false) {
    if (!take_read(evaluator_.updated(update, old, &db_), row) ||
        !check_row(table, row)) {
      return false;
    }
    Database::Locked locked;
    if (!db_.lock(target.handle,
                  strength_of_update(schema_.at(table), old, row),
                  Database::IfLocked::Wait, locked)) {
      return false;
    }
    if (locked.is_gone) return true;
    if (!locked.is_changed || !is_first) break;
    old = std::move(locked.row);
    bool is_match = false;
    if (!take_read(evaluator_.matches(update.where, {&old, 1}), is_match))
      return false;
    if (!is_match) return true;
  }
  if (old == row) ++db_.end().result.unchanged;
  return is_untouched(target.handle, old, Change::Update) &&
         replace(target.handle, old, row) && give_back(row);
}

bool Writer::execute(const Delete& remove) {
  const TableId table = remove.target.table;
  if (!fire_statement(table, Change::Delete, true)) return false;
  Window window;
  if (!take(evaluator_.window(remove.choice), window)) return false;
  auto evaluated = evaluator_.targets(remove);
  std::vector<FoundRow> all;
  return db_.each_target(remove.target, remove.where,
                         std::get_if<std::vector<FoundRow>>(&evaluated), window,
                         [&](const FoundRow& target) {
                           return remove_row(remove, target);
                         }) &&
         take(std::move(evaluated), all) && end_rows(table, Change::Delete);
}

bool Writer::remove_row(const Delete& remove, const FoundRow& target) {
  if (is_own_change(target.handle)) return true;
  Database::Locked locked;
  if (!db_.lock(target.handle, LockStrength::Update, Database::IfLocked::Wait,
                locked)) {
    return false;
  }
  if (locked.is_gone) return true;
  const Row& row = locked.is_changed ? locked.row : target.row;
  if (locked.is_changed) {
    bool is_match = false;
    if (!take_read(evaluator_.matches(remove.where, {&row, 1}), is_match))
      return false;
    if (!is_match) return true;
  }
  return remove_locked(target.handle, row);
}

// --- rows with their keys

bool Writer::replace(RowHandle at, const Row& old, const Row& row) {
  if (rules_.skips_equal_rows && old == row)
    return !rules_.fires_by_row || follow({at, old, row, {}, {}});
  const TableId table = at.table;
  const Table& shape = schema_.at(table);
  if (rules_.checks_foreign_keys_by_row && !check_children(table, old, &row))
    return false;
  RowHandle now = at;
  const bool moves = rules_.is_clustered && shape.has_primary_key &&
                     differ(shape.unique.front().columns, old, row);
  if (moves) {
    std::optional<Database::Match> there;
    if (!db_.leave(at, old) ||
        !test_key(table, 0, row, at, Database::Purpose::Enter, there)) {
      return false;
    }
    if (there) return breaks(Broken::DuplicateKey, shape.unique[0].name, table);
    if (!db_.move(at, old, row, now)) return false;
  } else if (!db_.replace(at, old, row)) {
    return false;
  }
  written_.push_back(now);
  if (!enter_keys(now, row, old, moves ? 1 : 0) ||
      (rules_.checks_foreign_keys_by_row && !check_parents(table, row, &old)) ||
      !db_.finish_keys(now, row, &old)) {
    return false;
  }
  return follow({now, old, row, {}, {}});
}

bool Writer::erase(RowHandle at, const Row& old) {
  if (rules_.checks_foreign_keys_by_row &&
      !check_children(at.table, old, nullptr)) {
    return false;
  }
  if (!db_.erase(at, old)) return false;
  written_.push_back(at);
  return follow({at, old, std::nullopt, {}, {}});
}

}  // namespace txscope::sql
