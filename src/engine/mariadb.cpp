#include "engine/mariadb.h"

#include <algorithm>
#include <bit>

#include "engine/innodb_statement.h"

namespace txscope::engine {
InnodbStatement::InnodbStatement(const Surroundings& around, State& state,
                                 SessionNo me, const sql::Request& request,
                                 Isolation isolation)
    : VersionedStatement(around, state, me, request), isolation_(isolation) {}

sql::StatementEnd InnodbStatement::run() {
  const bool has_waited = session().has_waited;
  if (still_waits()) return std::move(end_);
  undo_fresh();
  if (write_statement(session().process->slots())) {
    settle_fresh();
    drop_waiting();
  }
  if (has_waited && !is_same_wait_) ++session().awaited_locks;
  return std::move(end_);
}

// Whether others are still before it in the queue where it waits.
bool InnodbStatement::still_waits() {
  if (!session().has_waited) return false;
  for (const auto& table : state_.tables) {
    for (const Record& row : table->records) {
      for (const Lock& lock : row.locks) {
        if (lock.owner != me_ || !lock.is_waiting) continue;
        const SessionSet others = blockers(row, {lock.mode, lock.places});
        if (others == 0) return false;
        is_same_wait_ = true;
        wait(others);
        return true;
      }
    }
  }
  return false;
}

// Requests that were not granted; others queue behind them.
void InnodbStatement::drop_waiting() {
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting;
  };
  for (std::size_t t = 0; t < state_.tables.size(); ++t) {
    const auto& records = state_.tables[t]->records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& locks = state_.tables[t]->records[i].locks;
      if (std::any_of(locks.begin(), locks.end(), is_mine))
        std::erase_if(change(TableId(t), i).locks, is_mine);
    }
  }
}

SessionSet InnodbStatement::blockers(const Record& record, Want want) const {
  SessionSet set = 0;
  // Who makes or deletes a row has locked its entries in other indexes, too.
  const Pending& pending = record.pending;
  if ((want.places & 1) == 0 && pending.exists() && pending.owner != me_ &&
      (pending.row == nullptr || record.committed() == nullptr)) {
    set |= only(pending.owner);
  }
  bool is_behind_me = false;
  for (const Lock& lock : record.locks) {
    const bool is_place = (lock.places & want.places) != 0;
    if (lock.owner == me_) {
      if (!lock.is_waiting && lock.mode >= want.mode &&
          (lock.places & want.places) == want.places) {
        return 0;  // has it already
      }
      is_behind_me |= lock.is_waiting && lock.mode >= want.mode;
      continue;
    }
    if (!is_place || (lock.is_waiting && is_behind_me)) continue;
    if (conflicts(lock.mode, want.mode)) set |= only(lock.owner);
  }
  return set;
}

bool InnodbStatement::wait_for(TableId table, std::size_t index, Want want,
                               SessionSet others) {
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting && lock.mode == want.mode &&
           lock.places == want.places;
  };
  const auto& locks = record(table, index).locks;
  is_same_wait_ = std::any_of(locks.begin(), locks.end(), is_mine);
  if (!is_same_wait_) {
    drop_waiting();
    change(table, index).locks.push_back({me_, want.mode, true, want.places});
  }
  return wait(others);
}

bool InnodbStatement::lock_record(TableId table, std::size_t index, Want want) {
  const Record& row = record(table, index);
  const bool is_pending = row.pending.exists() && row.pending.owner != me_;
  if ((want.places & 1) != 0 && !is_pending && !check_unchanged(row))
    return false;
  if (const SessionSet others = blockers(row, want))
    return wait_for(table, index, want, others);
  const auto is_mine = [&](const Lock& lock) {
    return lock.owner == me_ && lock.is_waiting;
  };
  was_awaited_ = std::any_of(row.locks.begin(), row.locks.end(), is_mine);
  if (was_awaited_) std::erase_if(change(table, index).locks, is_mine);
  grant_at(table, index, want);
  return true;
}

void InnodbStatement::grant_at(TableId table, std::size_t index, Want want) {
  for (const Lock& lock : record(table, index).locks) {
    if (lock.owner == me_ && !lock.is_waiting && lock.mode >= want.mode &&
        (lock.places & want.places) == want.places) {
      return;
    }
  }
  auto& locks = change(table, index).locks;
  for (Lock& lock : locks) {
    if (lock.owner != me_ || lock.is_waiting || lock.mode != want.mode)
      continue;
    lock.places |= want.places;
    return;
  }
  locks.push_back({me_, want.mode, false, want.places});
}

std::size_t InnodbStatement::passed(
    const std::vector<Examined>& examined) const {
  if (!state_.sessions[me_].has_waited || locks_gaps()) return 0;
  for (std::size_t i = 0; i < examined.size(); ++i) {
    if (!examined[i].has_record) continue;
    for (const Lock& l : record(examined[i].table, examined[i].record).locks)
      if (l.owner == me_ && l.is_waiting) return i;
  }
  return 0;
}

bool InnodbStatement::is_passed(const Examined& e, std::size_t position,
                                std::size_t passed) const {
  if (position >= passed || !e.is_target || !e.has_record) return false;
  const auto& locks = record(e.table, e.record).locks;
  return std::none_of(locks.begin(), locks.end(), [&](const Lock& l) {
    return l.owner == me_ && !l.is_waiting && l.mode >= e.mode;
  });
}

void InnodbStatement::note_object(TableId table, std::uint32_t index,
                                  Object kind, LockMode mode) {
  const auto code = [&](Object k, LockMode m) {
    return table.index << 16 | index << 8 | static_cast<std::uint32_t>(k) << 1 |
           (m >= LockMode::NoKeyUpdate ? 1u : 0u);
  };
  auto& objects = session().lock_objects;
  const auto has = [&](std::uint32_t c) {
    return std::binary_search(objects.begin(), objects.end(), c);
  };
  const std::uint32_t wanted = code(kind, mode);
  // IX on a table is also IS.
  if (has(wanted) ||
      (kind == Object::Table && has(code(kind, LockMode::Update)))) {
    return;
  }
  objects.insert(std::lower_bound(objects.begin(), objects.end(), wanted),
                 wanted);
}

bool InnodbStatement::check_unchanged(const Record& row) {
  if (isolation_ != Isolation::RepeatableReadSnapshot ||
      session().snapshot == kNoSnapshot || row.pending.owner == me_ ||
      row.last() == nullptr || row.last()->stamp <= session().snapshot) {
    return true;
  }
  return fail("1020", "Record has changed since last read");
}

bool InnodbStatement::acquire(const Examined& examined, bool is_kept) {
  if (examined.gap) {
    auto& gaps = state_.table(examined.table).gaps;
    if (std::find(gaps.begin(), gaps.end(), *examined.gap) == gaps.end()) {
      session().touched |= touch_bit(examined.table.index);
      state_.change(examined.table).gaps.push_back(*examined.gap);
    }
  }
  note_object(examined.table, 0, Object::Table, examined.mode);
  if (!examined.has_record) {
    note_object(examined.table, examined.index,
                examined.is_last_gap ? Object::NextKey : Object::Gap,
                examined.mode);
    return true;
  }
  const auto is_mine = [&](const Lock& l) {
    return l.owner == me_ && !l.is_waiting;
  };
  std::vector<Lock> before;
  for (const Lock& l : record(examined.table, examined.record).locks)
    if (is_mine(l)) before.push_back(l);
  const bool has_it =
      std::any_of(before.begin(), before.end(), [&](const Lock& l) {
        return l.mode >= examined.mode &&
               (l.places & examined.places) == examined.places;
      });
  if ((examined.places & 1) == 0) {
    // Only the entry: one who changes it has locked it.
    const Record& there = record(examined.table, examined.record);
    const IndexShape index = indexes_of(schema(examined.table))[examined.index];
    const Pending& pending = there.pending;
    if (pending.exists() && pending.owner != me_ && pending.row != nullptr &&
        there.committed() != nullptr &&
        differ(index.columns, pending.row->row, there.committed()->row)) {
      return wait_for(examined.table, examined.record,
                      {examined.mode, examined.places}, only(pending.owner));
    }
  }
  // The entry of another index comes before the row.
  const auto entry = static_cast<std::uint8_t>(examined.places & ~1u);
  const auto row = static_cast<std::uint8_t>(examined.places & 1u);
  if (entry != 0 &&
      !lock_record(examined.table, examined.record, {examined.mode, entry})) {
    return false;
  }
  if (row != 0 &&
      !lock_record(examined.table, examined.record, {examined.mode, row}))
    return false;
  if (has_it) return true;
  if (!was_awaited_) {
    note_object(examined.table, examined.index,
                examined.gap ? Object::NextKey : Object::Row, examined.mode);
  }
  if (examined.places != 1 && (examined.places & 1) != 0)
    note_object(examined.table, 0, Object::Row, examined.mode);
  if (is_kept) return true;
  auto& now = change(examined.table, examined.record).locks;
  std::erase_if(now, is_mine);
  now.insert(now.end(), before.begin(), before.end());
  return true;
}

bool InnodbStatement::acquire_all() {
  const std::vector<Examined> examined = std::exchange(examined_, {});
  return std::all_of(examined.begin(), examined.end(),
                     [&](const Examined& e) { return acquire(e, true); });
}

sql::StatementEnd run_on_mariadb(const Surroundings& around, State& state,
                                 SessionNo me, const sql::Request& request,
                                 Isolation isolation) {
  return InnodbStatement(around, state, me, request, isolation).run();
}

// InnoDB weighs row changes and lock objects, and of equals takes the one that
// closed the cycle.  A lock object is one per table and intention, one per page
// and kind of lock on its rows (our tables have one page), and one for each
// lock that had to wait; an inserted row, and a changed entry of another index,
// gets one when somebody waits for it.
SessionNo choose_victim(const State& state, SessionSet cycle, SessionNo last) {
  const auto weight = [&](SessionNo s) {
    const SessionState& session = state.sessions[s];
    std::uint64_t sum =
        session.lock_objects.size() + session.awaited_locks + session.writes;
    for (const auto& table : state.tables) {
      bool has_row = false;
      bool has_entry = false;
      for (const Record& r : table->records) {
        if (r.pending.owner != s) continue;
        for (const Lock& lock : r.locks) {
          if (lock.owner == s) continue;
          has_row |= r.versions.empty() && (lock.places & 1) != 0;
          has_entry |= (lock.places & 1) == 0;
        }
      }
      sum += (has_row ? 1u : 0u) + (has_entry ? 1u : 0u);
    }
    return sum;
  };
  SessionNo victim = last;
  for (SessionSet rest = cycle; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<SessionNo>(std::countr_zero(rest));
    if (weight(s) < weight(victim)) victim = s;
  }
  return victim;
}

}  // namespace txscope::engine
