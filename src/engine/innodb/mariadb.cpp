#include "engine/innodb/mariadb.h"

#include <algorithm>
#include <bit>

#include "engine/innodb/statement.h"
#include "model/product/error_class.h"

namespace txscope::engine {
InnodbStatement::InnodbStatement(const Surroundings& around, State& state,
                                 SessionNo me, const sql::Request& request,
                                 Isolation isolation, InnodbStatement* outer)
    : VersionedStatement(around, state, me, request, outer),
      isolation_(isolation),
      invoker_(outer),
      slots_(session().process->slots()) {}

sql::StatementEnd InnodbStatement::run() {
  undo_fresh();
  session().savepoints.resize(session().process->depth());  // of triggers
  // Only there does a transaction have one of its own.
  const bool begins_snapshot = request_.statement->takes_snapshot &&
                               isolation_ == Isolation::RepeatableRead;
  if (begins_snapshot && session().snapshot == kNoSnapshot)
    session().snapshot = state_.clock;
  if (session().has_waited)
    session().writes = session().writes_before;
  else
    session().writes_before = session().writes;
  if (write_statement(session().process->slots())) settle_fresh();
  if (end_.kind != sql::StatementEnd::Kind::Waits) {
    session().passed_changes = 0;
    session().awaited_index = 0;
    session().awaited_entry = nullptr;
    session().writes_before = 0;
    session().dirty_reads.clear();
  }
  return std::move(end_);
}

bool InnodbStatement::is_in_use(const sql::DbStatement& other) const {
  const sql::Relation* wanted = other.target();
  const sql::Relation* mine = request_.statement->target();
  if (wanted == nullptr) return false;
  return (mine != nullptr && mine->table == wanted->table) ||
         (invoker_ != nullptr && invoker_->is_in_use(other));
}

// One read view for a statement and its triggers, and one count of the changes
// that it got locks for.
bool InnodbStatement::run_nested(const sql::Routines&,
                                 const sql::Request& request,
                                 std::span<const sql::Value> slots,
                                 const Budget&, sql::StatementResult& result,
                                 std::optional<sql::SqlError>& error) {
  if (is_in_use(*request.statement)) {
    error.emplace();
    error->sqlstate = "1442";
    error->message =
        "Can't update a table in a trigger that the statement which fired it "
        "is using";
    return true;
  }
  InnodbStatement inner(around_, state_, me_, request, isolation_, this);
  inner.slots_ = slots;
  if (inner.write_statement(slots)) {
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

bool InnodbStatement::lock_object(const sql::ExplicitLock& lock,
                                  std::span<const std::int64_t> key,
                                  bool& is_done) {
  if (!lock.is_advisory()) return undecided("LOCK TABLES is not followed here");
  return lock_advisory(lock, key, is_done);
}

PageLocks InnodbStatement::page_locks(TableId table) {
  session().touched |= touch_bit(table.index);
  return PageLocks(state_.change(table));
}

bool InnodbStatement::wait_at(TableId table, const Want& want) {
  session().awaited_index = table.index << 8 | want.index;
  session().awaited_entry = want.entry;
  return wait(only(*innodb_blocker(state_, me_)));
}

void InnodbStatement::make_explicit(TableId table, std::size_t record_no,
                                    const Want& want) {
  if (want.entry == nullptr || record_no == kNoRecord) return;
  const SessionNo maker = maker_of(indexes_of(schema(table))[want.index],
                                   record(table, record_no), want.entry->row);
  if (maker != kNobody && maker != me_)
    page_locks(table).make_explicit(maker, want.index, want.entry,
                                    locks_gaps());
}

bool InnodbStatement::is_blocked(const Examined& e) {
  make_explicit(e.table, e.record, e.want);
  return page_locks(e.table).blocker(me_, e.want).has_value();
}

bool InnodbStatement::lock_entry(TableId table, std::size_t record_no,
                                 const Want& want, bool& is_new) {
  const bool has_record = record_no != kNoRecord && want.entry != nullptr;
  if (has_record) {
    const IndexShape index = indexes_of(schema(table))[want.index];
    const Record& there = record(table, record_no);
    const SessionNo maker = maker_of(index, there, want.entry->row);
    if (maker == me_ && want.kind == Kind::Entry) return true;
    if (index.is_clustered && want.kind != Kind::Gap && maker == kNobody &&
        !check_unchanged(there)) {
      return false;
    }
    make_explicit(table, record_no, want);
  }
  const bool is_inherited = locks_gaps() || want.mode == LockMode::Share;
  switch (page_locks(table).ask(me_, want, false, is_inherited)) {
    case PageLocks::Reply::Waits: return wait_at(table, want);
    case PageLocks::Reply::Granted: is_new = true; break;
    case PageLocks::Reply::Had: break;
  }
  return true;
}

std::size_t InnodbStatement::passed(
    const std::vector<Examined>& examined) const {
  const SessionState& me = state_.sessions[me_];
  if (!me.has_waited || locks_gaps()) return 0;
  for (std::size_t i = 0; i < examined.size(); ++i) {
    const Examined& e = examined[i];
    if (!e.has_record) continue;
    const auto is_awaited = [&](std::uint8_t index, const StoredRow* entry) {
      return me.awaited_index == (e.table.index << 8 | index) &&
             me.awaited_entry == entry;
    };
    if (is_awaited(e.want.index, e.want.entry) ||
        (e.needs_row && is_awaited(clustered_index(schema(e.table)),
                                   record(e.table, e.record).place))) {
      return i;
    }
  }
  return 0;
}

bool InnodbStatement::is_passed(const Examined& e, std::size_t position,
                                std::size_t passed) {
  if (position >= passed || !e.is_target || !e.has_record) return false;
  return !page_locks(e.table).has_lock(me_, e.want);
}

void InnodbStatement::intend(TableId table, LockMode mode) {
  const auto has = [&](std::uint32_t lock) {
    const auto& locks = session().table_locks;
    return std::binary_search(locks.begin(), locks.end(), lock);
  };
  const bool is_exclusive = mode >= LockMode::NoKeyUpdate;
  const std::uint32_t wanted = table.index << 1 | (is_exclusive ? 1u : 0u);
  // The intention to write is also the one to read.
  if (has(wanted) || has(wanted | 1)) return;
  auto& locks = session().table_locks;
  locks.insert(std::lower_bound(locks.begin(), locks.end(), wanted), wanted);
}

bool InnodbStatement::check_unchanged(const Record& row) {
  if (isolation_ != Isolation::RepeatableReadSnapshot ||
      session().snapshot == kNoSnapshot || row.pending.owner == me_ ||
      row.last() == nullptr || row.last()->stamp <= session().snapshot) {
    return true;
  }
  return fail(error_of(Product::MariaDb, ErrorClass::Serialization));
}

bool InnodbStatement::acquire(const Examined& e, bool is_kept) {
  intend(e.table, e.want.mode);
  bool is_new = false;
  bool is_row_new = false;
  if (!lock_entry(e.table, e.record, e.want, is_new)) return false;
  Want row = e.want;
  if (e.needs_row) {
    row.index = clustered_index(schema(e.table));
    row.entry = record(e.table, e.record).place;
    row.kind = Kind::Entry;
    if (!lock_entry(e.table, e.record, row, is_row_new)) return false;
  }
  if (is_kept) return true;
  if (is_new) page_locks(e.table).unlock(me_, e.want);
  if (is_row_new) page_locks(e.table).unlock(me_, row);
  return true;
}

bool InnodbStatement::acquire_all() {
  const std::vector<Examined> examined = std::exchange(examined_, {});
  return std::all_of(examined.begin(), examined.end(),
                     [&](const Examined& e) { return acquire(e, keeps(e)); });
}

sql::StatementEnd run_on_mariadb(const Surroundings& around, State& state,
                                 SessionNo me, const sql::Request& request,
                                 Isolation isolation) {
  return InnodbStatement(around, state, me, request, isolation).run();
}

void enter_places(const Surroundings& around, State& state) {
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    TableState& table = state.change(TableId(t));
    table.records.change_touched([&](Record& record) {
      record.place = around.rows.intern(
          place_of(around.schema().at(TableId(t)), table, record.anchor->row));
    });
  }
}

// InnoDB weighs row changes and lock objects, and of equals takes the one that
// closed the cycle, if it is among them.
SessionSet choose_victims(const State& state, SessionSet cycle, SessionNo last,
                          bool is_new) {
  const auto weight = [&](SessionNo s) {
    const SessionState& session = state.sessions[s];
    std::size_t sum = session.table_locks.size() + session.writes;
    for (const auto& table : state.tables) {
      sum += static_cast<std::size_t>(
          std::count_if(table->page_locks.begin(), table->page_locks.end(),
                        [&](const PageLock& lock) { return lock.owner == s; }));
    }
    return sum;
  };
  std::size_t least = weight(last);
  for (SessionSet rest = cycle; rest != 0; rest &= rest - 1) {
    least =
        std::min(least, weight(static_cast<SessionNo>(std::countr_zero(rest))));
  }
  SessionSet victims = 0;
  for (SessionSet rest = cycle; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<SessionNo>(std::countr_zero(rest));
    if (weight(s) == least) victims |= only(s);
  }
  return weight(last) == least && is_new ? only(last) : victims;
}

}  // namespace txscope::engine
