// What a transaction leaves behind when it ends, and who waits for whom.

#include <algorithm>
#include <bit>

#include "engine/innodb/locks.h"
#include "engine/innodb/mariadb.h"
#include "engine/server/server.h"

namespace txscope::engine {

void Server::end_transaction(State& state, SessionNo s, bool is_commit) {
  SessionState& session = state.sessions[s];
  const auto slot = state.ssi.find_slot(s);
  TxnSet writer = 0;
  if (is_commit) {
    ++state.clock;
    // Committed just before, so that it is not found as a running one.
    for (std::size_t i = 0; i < state.ssi.txns().size(); ++i) {
      const Ssi::Txn& txn = state.ssi.txns()[i];
      if (txn.is_used && txn.is_committed && txn.commit == state.clock)
        writer = TxnSet{1} << i;
    }
  }
  for (std::size_t t = 0; t < state.tables.size(); ++t) {
    if ((session.touched & touch_bit(t)) == 0) continue;
    TableState& table = state.change(TableId(t));
    table.records.change_touched([&](Record& record) {
      std::erase_if(record.locks,
                    [&](const Lock& lock) { return lock.owner == s; });
      if (record.pending.owner != s) return;
      const StoredRow* row = record.pending.row;
      const bool moves_key = record.pending.moves_key;
      const Spot spot = record.pending.spot;
      record.pending = Pending();
      if (!is_commit || (row == nullptr && record.versions.empty())) return;
      record.versions.push_back({row, state.clock, moves_key, spot});
      record.readers = 0;
      record.writers |= writer;
    });
  }
  if (profile_.product == Product::MariaDb) {
    // What was made and is undone goes before the locks do.
    if (!is_commit) {
      prune(state);
      drop_gone_entries(around_.schema(), around_.rows, state);
    }
    for (std::size_t t = 0; t < state.tables.size(); ++t)
      if (!state.tables[t]->page_locks.empty())
        PageLocks(state.change(TableId(t))).release(s);
    session.waits_for = 0;
    grant_locks(state);
  }
  std::erase_if(state.objects, [&](const ObjectLock& lock) {
    return lock.owner == s && (lock.is_waiting || !lock.is_session);
  });
  TxnSet released = 0;
  if (slot && !is_commit) {
    state.ssi.abort(*slot);
    released |= TxnSet{1} << *slot;
  }
  if (writer != 0 || slot) released |= state.ssi.release();
  if (released != 0) forget(state, released);

  session.is_begun = false;
  session.snapshot = kNoSnapshot;
  session.statement_snapshot = kNoSnapshot;
  session.touched = 0;
  session.writes = 0;
  session.table_locks.clear();
  session.passed_changes = 0;
  session.awaited_index = 0;
  session.awaited_entry = nullptr;
  session.writes_before = 0;
  session.dirty_reads.clear();
  session.end_statement();
  session.savepoints.clear();
  session.waits_for = 0;
  for (SessionState& other : state.sessions)
    if (other.status == Status::Waiting && (other.waits_for & only(s)) != 0)
      other.is_woken = true;
  clean(state);
}

// InnoDB: who has come to the head of the queue goes on; others wait for the
// next before them.
void Server::grant_locks(State& state) {
  for (SessionNo s = 0; s < state.sessions.size(); ++s) {
    SessionState& session = state.sessions[s];
    if (session.status != Status::Waiting || session.is_woken) continue;
    const std::optional<SessionNo> blocker = innodb_blocker(state, s);
    session.is_woken = !blocker;
    if (!blocker || session.waits_for == only(*blocker)) continue;
    session.waits_for = only(*blocker);
    if (state.deadlocked == 0 &&
        state.sessions[*blocker].status == Status::Waiting) {
      find_deadlock(state, *blocker, false);
    }
  }
}

// What nobody sees any more goes.  On MariaDB that is purge's work, which is
// slower than those whose locks have just been granted.
void Server::clean(State& state) {
  if (profile_.product != Product::MariaDb) return prune(state);
  const bool is_busy =
      std::any_of(state.sessions.begin(), state.sessions.end(),
                  [](const SessionState& other) { return other.is_woken; });
  if (is_busy) return;
  prune(state);
  drop_gone_entries(around_.schema(), around_.rows, state);
}

// Follows the waits from the session that has just begun to wait.  All who are
// on a cycle with it are in the set.
void Server::find_deadlock(State& state, SessionNo s, bool is_new) {
  const auto awaited_by = [&](SessionNo from) {
    const SessionState& session = state.sessions[from];
    SessionSet all = session.waits_for;
    for (SessionSet rest = session.queued_behind; rest != 0; rest &= rest - 1) {
      const auto before = static_cast<SessionNo>(std::countr_zero(rest));
      const SessionState& other = state.sessions[before];
      if (other.is_queued && !other.is_woken) all |= only(before);
    }
    return all;
  };
  const auto reached_from = [&](SessionNo from) {
    SessionSet reached = 0;
    SessionSet open = awaited_by(from);
    while (open != 0) {
      const auto next = static_cast<SessionNo>(std::countr_zero(open));
      open &= open - 1;
      reached |= only(next);
      const SessionState& other = state.sessions[next];
      if (other.status == Status::Waiting && !other.is_woken)
        open |= awaited_by(next) & ~reached;
    }
    return reached;
  };
  const SessionSet reached = reached_from(s);
  if ((reached & only(s)) == 0) return;
  SessionSet cycle = 0;
  for (SessionNo other = 0; other < state.sessions.size(); ++other) {
    if ((reached & only(other)) == 0) continue;
    const SessionState& member = state.sessions[other];
    if (member.status == Status::Waiting && !member.is_woken &&
        (reached_from(other) & only(s)) != 0) {
      cycle |= only(other);
    }
  }
  state.deadlocked = cycle;
  if (profile_.product == Product::MariaDb)
    state.deadlocked = choose_victims(state, cycle, s, is_new);
  if (profile_.product == Product::Oracle) state.deadlocked = only(s);
}

}  // namespace txscope::engine
