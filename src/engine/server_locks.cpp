// What a transaction leaves behind when it ends, and who waits for whom.

#include <algorithm>
#include <bit>

#include "engine/mariadb.h"
#include "engine/server.h"

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
    for (Record& record : table.records) {
      std::erase_if(record.locks,
                    [&](const Lock& lock) { return lock.owner == s; });
      if (record.pending.owner != s) continue;
      const StoredRow* row = record.pending.row;
      const bool moves_key = record.pending.moves_key;
      record.pending = Pending();
      if (!is_commit || (row == nullptr && record.versions.empty())) continue;
      record.versions.push_back({row, state.clock, moves_key});
      record.readers = 0;
      record.writers |= writer;
    }
    std::erase_if(table.gaps,
                  [&](const GapLock& gap) { return gap.owner == s; });
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
  session.lock_objects.clear();
  session.awaited_locks = 0;
  session.drawn.clear();
  session.savepoints.clear();
  session.nested_snapshots.clear();
  session.waits_for = 0;
  session.has_waited = false;
  for (SessionState& other : state.sessions)
    if (other.status == Status::Waiting && (other.waits_for & only(s)) != 0)
      other.is_woken = true;
  prune(state);
}

// Follows the waits from the session that has just begun to wait.  All who are
// on a cycle with it are in the set.
void Server::find_deadlock(State& state, SessionNo s) {
  const auto reached_from = [&](SessionNo from) {
    SessionSet reached = 0;
    SessionSet open = state.sessions[from].waits_for;
    while (open != 0) {
      const auto next = static_cast<SessionNo>(std::countr_zero(open));
      open &= open - 1;
      reached |= only(next);
      const SessionState& other = state.sessions[next];
      if (other.status == Status::Waiting && !other.is_woken)
        open |= other.waits_for & ~reached;
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
    state.deadlocked = only(choose_victim(state, cycle, s));
  if (profile_.product == Product::Oracle) state.deadlocked = only(s);
}

}  // namespace txscope::engine
