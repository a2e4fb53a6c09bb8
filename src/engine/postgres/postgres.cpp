#include "engine/postgres/postgres.h"

#include <algorithm>

#include "engine/postgres/statement.h"
#include "model/product/error_class.h"

namespace txscope::engine {

PostgresStatement::PostgresStatement(const Surroundings& around, State& state,
                                     SessionNo me, const sql::Request& request,
                                     Product product, Isolation isolation,
                                     PostgresStatement* outer)
    : VersionedStatement(around, state, me, request, outer),
      product_(product),
      isolation_(isolation) {}

// The snapshot is taken when the statement starts, before it waits; a statement
// that runs again after a wait keeps it.
bool PostgresStatement::take_snapshot() {
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
  if (outer_ != nullptr) {
    std::size_t& used = used_snapshots();
    if (used == me.nested_snapshots.size())
      me.nested_snapshots.push_back(state_.clock);
    snapshot_ = me.nested_snapshots[used++];
    return true;
  }
  const bool keeps = request_.reuses_snapshot || me.has_waited;
  if (me.statement_snapshot == kNoSnapshot || !keeps)
    me.statement_snapshot = state_.clock;
  snapshot_ = me.statement_snapshot;
  return true;
}

sql::StatementEnd PostgresStatement::run() {
  undo_fresh();
  session().savepoints.resize(session().process->depth());  // of triggers
  if (start() && write_statement(session().process->slots())) settle_fresh();
  return std::move(end_);
}

bool PostgresStatement::run_nested(const sql::Routines&,
                                   const sql::Request& request,
                                   std::span<const sql::Value> slots,
                                   const Budget&, sql::StatementResult& result,
                                   std::optional<sql::SqlError>& error) {
  PostgresStatement inner(around_, state_, me_, request, product_, isolation_,
                          this);
  if (inner.start() && inner.write_statement(slots)) {
    inner.settle_fresh();
    result = std::move(inner.end_.result);
    return true;
  }
  if (inner.end_.kind != sql::StatementEnd::Kind::Failed) {
    end_ = std::move(inner.end_);
    return false;
  }
  inner.undo_fresh();
  error = inner.end_.error;
  return true;
}

bool PostgresStatement::is_written_since(const Record& record) const {
  return record.pending.owner != me_ && record.last() != nullptr &&
         record.last()->stamp > snapshot_;
}

bool PostgresStatement::conflict_with_writer(bool is_deleted) {
  const ErrorRow& error = error_of(product_, ErrorClass::Serialization);
  if (product_ == Product::Oracle) return fail(error);
  return fail(std::string(error.code),
              is_deleted
                  ? "could not serialize access due to concurrent delete"
                  : "could not serialize access due to concurrent update");
}

bool PostgresStatement::scan(const sql::Access& access, const OnRow& on_row) {
  if (is_serializable() && !note_scan(access)) return false;
  std::vector<Shown> rows;
  state_.table(access.table)
      .records.for_each_that_may(
          access.equal, [&](std::size_t i, const Record& record) {
            const StoredRow* row = visible(record, snapshot_);
            if (row != nullptr && matches(access, row->row))
              rows.push_back({i, row});
          });
  if (state_.table(access.table).has_spots)
    rows = in_heap_order(access.table, std::move(rows), snapshot_);
  else
    sort_by_key(access.table, rows);
  for (const Shown& shown : rows)
    on_row({access.table, shown.index}, shown.row->row);
  return !is_halted();
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

bool PostgresStatement::lock(sql::RowHandle at, sql::LockStrength strength,
                             IfLocked if_locked, Locked& locked) {
  Tip tip;
  if (!lock_record(at.table, at.row, mode_of(strength), if_locked, tip))
    return false;
  locked.is_gone = tip.row == nullptr;
  locked.is_changed = tip.is_changed;
  if (locked.is_gone || !locked.is_changed) return true;
  if (product_ == Product::Oracle) {
    is_restarting_ = true;
    return false;
  }
  locked.row = tip.row->row;
  return true;
}

bool PostgresStatement::lock_record(TableId table, std::size_t index,
                                    LockMode mode, IfLocked if_locked,
                                    Tip& tip) {
  const Record& row = record(table, index);
  bool is_changed = is_written_since(row);
  if (is_changed && mode == LockMode::KeyShare && row.committed() != nullptr) {
    // Updates that leave the keys alone are no conflict, and are not looked at.
    is_changed =
        row.at(snapshot_) == nullptr ||
        std::any_of(row.versions.begin(), row.versions.end(),
                    [&](const Version& version) {
                      return version.stamp > snapshot_ && version.moves_key;
                    });
  }
  if (is_changed && keeps_snapshot())
    return conflict_with_writer(row.committed() == nullptr);
  if (!row.pending.exists() && row.committed() == nullptr) return true;  // gone
  const SessionSet blockers = holders(row, mode);
  if (if_locked == IfLocked::Skip && decide_skip(blockers != 0)) return true;
  if (blockers != 0) {
    if (if_locked == IfLocked::Fail) {
      return fail(
          std::string(
              error_of(Product::PostgreSql, ErrorClass::LockNotAvailable).code),
          "could not obtain lock on row in relation \"" + schema(table).name +
              "\"");
    }
    return wait_for_row(table, index, mode, blockers);
  }
  grant(table, index, mode);
  const Record& mine = record(table, index);
  tip.is_changed = is_changed;
  tip.row = is_changed ? mine.committed() : visible(mine, snapshot_);
  return true;
}

// The first who waits for a row has a lock on it that says so.  Others wait for
// that one.
bool PostgresStatement::wait_for_row(TableId table, std::size_t index,
                                     LockMode mode, SessionSet blockers) {
  if (product_ != Product::PostgreSql) return wait(blockers);
  SessionState& me = session();
  me.awaited_mode = mode;
  me.is_queued = true;
  const SessionSet queue = record(table, index).queue;
  for (SessionNo s = 0; s < state_.sessions.size(); ++s) {
    const SessionState& other = state_.sessions[s];
    if ((queue & only(s)) != 0 && s != me_ && !other.is_woken &&
        conflicts(other.awaited_mode, mode)) {
      me.queued_behind |= only(s);
    }
  }
  change(table, index).queue |= only(me_);
  return wait(blockers);
}

// A statement that waited runs again: a row that it has passed over is passed
// over again, though it may be free by now.
bool PostgresStatement::decide_skip(bool is_locked) {
  std::vector<bool>& known = session().skips;
  const std::size_t number = used_skips()++;
  if (number == known.size()) known.push_back(is_locked);
  return known[number];
}

bool PostgresStatement::put(TableId table, const sql::Row& row,
                            sql::RowHandle& at) {
  if (!note_write(table, nullptr)) return false;
  at = {table, insert(table, around_.intern(table, row))};
  return true;
}

bool PostgresStatement::replace(sql::RowHandle at, const sql::Row& old,
                                const sql::Row& row) {
  const Record& there = record(at.table, at.row);
  if (!note_write(at.table, &there)) return false;
  // The mark of a lock that the transaction has stays if it is the stronger.
  const bool moves_key =
      strength_of_update(schema(at.table), old, row) ==
          sql::LockStrength::Update ||
      std::any_of(there.locks.begin(), there.locks.end(),
                  [&](const Lock& lock) {
                    return lock.owner == me_ && lock.mode == LockMode::Update;
                  });
  write(at.table, at.row, around_.intern(at.table, row));
  if (moves_key) change(at.table, at.row).pending.moves_key = true;
  return true;
}

bool PostgresStatement::erase(sql::RowHandle at, const sql::Row&) {
  if (!note_write(at.table, &record(at.table, at.row))) return false;
  write(at.table, at.row, nullptr);
  return true;
}

sql::StatementEnd run_on_postgres(const Surroundings& around, State& state,
                                  SessionNo me, const sql::Request& request,
                                  Product product, Isolation isolation) {
  while (true) {
    PostgresStatement run(around, state, me, request, product, isolation);
    sql::StatementEnd end = run.run();
    if (!run.is_restarting()) return end;
    state.sessions[me].statement_snapshot = kNoSnapshot;
  }
}

}  // namespace txscope::engine
