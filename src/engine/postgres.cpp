#include "engine/postgres.h"

#include <algorithm>

#include "engine/postgres_run.h"

namespace txscope::engine {

PostgresRun::PostgresRun(const Surroundings& around, State& state, SessionNo me,
                         const sql::Request& request, Product product,
                         Isolation isolation)
    : StatementRun(around, state, me, request),
      product_(product),
      isolation_(isolation) {}

// The snapshot is taken when the statement starts, before it waits; a statement
// that runs again after a wait keeps it.
bool PostgresRun::take_snapshot() {
  SessionState& me = session();
  if (keeps_snapshot()) {
    if (me.snapshot == kNoSnapshot) {
      if (is_serializable() && state_.ssi.is_full())
        return undecided("more than 64 serializable transactions overlap");
      me.snapshot = state_.clock;
      if (is_serializable()) state_.ssi.begin(me_, me.snapshot);
    }
    snapshot_ = me.snapshot;
    return true;
  }
  const bool keeps = request_.reuses_snapshot || me.has_waited;
  if (me.statement_snapshot == kNoSnapshot || !keeps)
    me.statement_snapshot = state_.clock;
  snapshot_ = me.statement_snapshot;
  return true;
}

Answer PostgresRun::run() {
  undo_fresh();
  if (take_snapshot() && run_once()) settle_fresh();
  return std::move(answer_);
}

bool PostgresRun::run_once() {
  const sql::DbStatement& statement = *request_.statement;
  returning_ = &statement.returning;
  if (const auto* query = std::get_if<sql::Select>(&statement.what))
    return select(**query);
  if (const auto* insert = std::get_if<sql::Insert>(&statement.what))
    return insert_rows(*insert) && check_foreign_keys();
  if (const auto* update = std::get_if<sql::Update>(&statement.what))
    return this->update(*update) && check_foreign_keys();
  return remove(std::get<sql::Delete>(statement.what)) && check_foreign_keys();
}

bool PostgresRun::restart() {
  is_restarting_ = true;
  return false;
}

bool PostgresRun::is_written_since(const Record& record) const {
  return record.pending.owner != me_ && record.last() != nullptr &&
         record.last()->stamp > snapshot_;
}

bool PostgresRun::conflict_with_writer(bool is_deleted) {
  if (product_ == Product::Oracle)
    return fail("ORA-08177", "can't serialize access for this transaction");
  return fail("40001",
              is_deleted
                  ? "could not serialize access due to concurrent delete"
                  : "could not serialize access due to concurrent update");
}

bool PostgresRun::scan(const sql::Access& access, const OnRow& on_row) {
  if (is_serializable() && !note_scan(access)) return false;
  std::vector<Shown> rows;
  const auto& records = state_.table(access.table).records;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const StoredRow* row = visible(records[i], snapshot_);
    if (row != nullptr && matches(access, row->row)) rows.push_back({i, row});
  }
  sort_by_key(access.table, rows);
  for (const Shown& shown : rows)
    on_row({access.table, shown.index}, shown.row->row);
  return !is_halted();
}

bool PostgresRun::select(const sql::Query& query) {
  // SQLite knows no row locks.
  if (query.lock != sql::LockStrength::None && product_ != Product::Sqlite)
    return select_and_lock(query);
  if (!take(evaluator_.select(query, request_.max_rows), answer_.result.rows))
    return false;
  answer_.result.count = answer_.result.rows.size();
  return true;
}

namespace {

LockMode mode_of(sql::LockStrength strength) {
  switch (strength) {
    case sql::LockStrength::KeyShare: return LockMode::KeyShare;
    case sql::LockStrength::Share: return LockMode::Share;
    case sql::LockStrength::NoKeyUpdate: return LockMode::NoKeyUpdate;
    case sql::LockStrength::None:
    case sql::LockStrength::Update: break;
  }
  return LockMode::Update;
}

}  // namespace

// ORDER BY is the snapshot's; rows are locked and tested again one by one until
// LIMIT are found, those that OFFSET leaves out, too; nothing is sorted again.
bool PostgresRun::select_and_lock(const sql::Query& query) {
  std::vector<sql::JoinedRow> candidates;
  sql::Window window;
  if (!take(evaluator_.candidates(query), candidates) ||
      !take(evaluator_.window(query), window)) {
    return false;
  }
  auto& rows = answer_.result.rows;
  std::uint64_t passed = 0;
  for (sql::JoinedRow& joined : candidates) {
    if (window.limit && rows.size() >= *window.limit) break;
    if (request_.max_rows != 0 && rows.size() >= request_.max_rows) break;
    bool is_gone = false;
    if (!lock_joined(query, joined, is_gone)) return false;
    if (is_gone) continue;
    std::optional<sql::Row> row;
    if (!take(evaluator_.recheck(query, joined), row)) return false;
    if (!row) continue;
    if (passed++ >= window.offset) rows.push_back(std::move(*row));
  }
  answer_.result.count = rows.size();
  return true;
}

bool PostgresRun::lock_joined(const sql::Query& query, sql::JoinedRow& joined,
                              bool& is_gone) {
  for (std::size_t i = 0; i < joined.handles.size(); ++i) {
    const sql::RowHandle& handle = joined.handles[i];
    if (handle.table == kNone<TableId>) continue;
    if (i < query.is_locked.size() && !query.is_locked[i]) continue;
    Locked locked;
    if (!lock(handle.table, handle.row, mode_of(query.lock), locked,
              query.is_nowait)) {
      return false;
    }
    if (locked.tip == nullptr) {
      is_gone = true;
      return true;
    }
    if (!locked.is_changed) continue;
    if (product_ == Product::Oracle) return restart();
    joined.rows[i] = locked.tip->row;
  }
  return true;
}

bool PostgresRun::lock(TableId table, std::size_t index, LockMode mode,
                       Locked& locked, bool is_nowait) {
  const Record& row = record(table, index);
  bool is_changed = is_written_since(row);
  if (is_changed && mode == LockMode::KeyShare && row.committed() != nullptr) {
    // Updates that leave the keys alone are no conflict, and are not looked at.
    const StoredRow* shown = row.at(snapshot_);
    is_changed = shown == nullptr ||
                 mode_of_update(table, shown->row, row.committed()->row) ==
                     LockMode::Update;
  }
  if (is_changed && keeps_snapshot())
    return conflict_with_writer(row.committed() == nullptr);
  if (!row.pending.exists() && row.committed() == nullptr) return true;  // gone
  if (const SessionSet blockers = holders(row, mode)) {
    if (is_nowait) {
      return fail("55P03", "could not obtain lock on row in relation \"" +
                               schema(table).name + "\"");
    }
    return wait(blockers);
  }
  grant(table, index, mode);
  const Record& mine = record(table, index);
  locked.is_changed = is_changed;
  locked.tip = is_changed ? mine.committed() : visible(mine, snapshot_);
  return true;
}

LockMode PostgresRun::mode_of_update(TableId table, const sql::Row& old,
                                     const sql::Row& row) const {
  const auto& keys = schema(table).unique;
  const bool is_key = std::any_of(
      keys.begin(), keys.end(),
      [&](const sql::UniqueKey& key) { return differ(key.columns, old, row); });
  return is_key ? LockMode::Update : LockMode::NoKeyUpdate;
}

bool PostgresRun::check_row(TableId table, const sql::Row& row) {
  if (auto error = evaluator_.check_row(schema(table), row))
    return raise(*error);
  return true;
}

bool PostgresRun::returning(const sql::Row& row) {
  ++answer_.result.count;
  if (returning_->empty()) return true;
  sql::Row values;
  if (!take(evaluator_.returning(*returning_, row), values)) return false;
  answer_.result.rows.push_back(std::move(values));
  return true;
}

bool PostgresRun::update(const sql::Update& update) {
  std::vector<sql::FoundRow> found;
  if (!take(evaluator_.targets(update), found)) return false;
  return std::all_of(found.begin(), found.end(), [&](const sql::FoundRow& f) {
    return update_row(update, f.handle.row, f.row);
  });
}

// Constraints are tested before the row is locked, on the version that the
// snapshot shows, and again on the latest one if that is another.
bool PostgresRun::update_row(const sql::Update& update, std::size_t index,
                             const sql::Row& shown) {
  const TableId table = update.target.table;
  sql::Row old = shown;
  sql::Row row;
  for (bool is_first = true;; is_first = false) {
    if (!take(evaluator_.updated(update, old), row) || !check_row(table, row))
      return false;
    Locked locked;
    if (!lock(table, index, mode_of_update(table, old, row), locked))
      return false;
    if (locked.tip == nullptr) return true;
    if (!locked.is_changed || !is_first) break;
    if (product_ == Product::Oracle) return restart();
    old = locked.tip->row;
    bool is_match = false;
    if (!take(evaluator_.matches(update.where, {&old, 1}), is_match))
      return false;
    if (!is_match) return true;
  }
  return replace(table, index, row) && returning(row);
}

bool PostgresRun::replace(TableId table, std::size_t index, sql::Row row) {
  const StoredRow* old = latest(record(table, index));
  const StoredRow* stored = around_.rows.intern(std::move(row));
  if (!note_write(table, &record(table, index))) return false;
  write(table, index, stored);
  if (!check_unique(table, index, stored->row, &old->row)) return false;
  events_.push_back({table, index, old, stored});
  return true;
}

bool PostgresRun::remove(const sql::Delete& remove) {
  std::vector<sql::FoundRow> found;
  if (!take(evaluator_.targets(remove), found)) return false;
  return std::all_of(found.begin(), found.end(), [&](const sql::FoundRow& f) {
    return remove_row(remove, f.handle.row);
  });
}

bool PostgresRun::remove_row(const sql::Delete& remove, std::size_t index) {
  const TableId table = remove.target.table;
  Locked locked;
  if (!lock(table, index, LockMode::Update, locked)) return false;
  if (locked.tip == nullptr) return true;
  if (locked.is_changed) {
    if (product_ == Product::Oracle) return restart();
    bool is_match = false;
    if (!take(evaluator_.matches(remove.where, {&locked.tip->row, 1}),
              is_match)) {
      return false;
    }
    if (!is_match) return true;
  }
  return erase(table, index) && returning(locked.tip->row);
}

bool PostgresRun::erase(TableId table, std::size_t index) {
  const StoredRow* old = latest(record(table, index));
  if (!note_write(table, &record(table, index))) return false;
  write(table, index, nullptr);
  events_.push_back({table, index, old, nullptr});
  return true;
}

Answer run_on_postgres(const Surroundings& around, State& state, SessionNo me,
                       const sql::Request& request, Product product,
                       Isolation isolation) {
  while (true) {
    PostgresRun run(around, state, me, request, product, isolation);
    Answer answer = run.run();
    if (!run.is_restarting()) return answer;
    state.sessions[me].statement_snapshot = kNoSnapshot;
  }
}

}  // namespace txscope::engine
