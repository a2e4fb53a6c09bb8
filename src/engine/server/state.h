#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/postgres/ssi.h"
#include "engine/server/hash.h"
#include "engine/server/records.h"
#include "exec/sql/routine/process.h"
#include "exec/sql/writer/session_numbers.h"

namespace txscope::engine {

/// MariaDB: what InnoDB keeps for all that one transaction has locked in one
/// way in one index (whose entries are on one page: tables here are small).  It
/// is one object when transactions are weighed, and has one place in the queue.
struct PageLock {
  enum class Kind : std::uint8_t {
    NextKey,  ///< the entry and the gap before it
    Entry,
    Gap,
    Intention,  ///< to insert into the gap
  };
  SessionNo owner = kNobody;
  std::uint8_t index = 0;  ///< of indexes_of()
  LockMode mode = LockMode::Share;
  Kind kind = Kind::NextKey;
  bool is_waiting = false;
  /// It lives on as a gap lock when its entry goes.
  bool is_inherited = false;
  std::vector<const StoredRow*> entries;  ///< none: behind the last one
};

/// Of these the order of making does not count: they come first, by owner.
[[nodiscard]] inline bool is_shared_entry(const PageLock& lock) {
  return lock.kind == PageLock::Kind::Entry && !lock.is_waiting &&
         lock.mode == LockMode::Share;
}

struct TableState {
  Records records;
  bool has_spots = false;
  Spot first_spots = 0;  ///< those of the rows at the beginning
  Spot last_spot = 0;
  std::vector<PageLock> page_locks;  ///< the queue
  TxnSet scanners = 0;      ///< transactions of Ssi that read the whole table
  TxnSet page_readers = 0;  ///< ... that read many of its rows
  std::vector<TxnSet> index_readers;  ///< ... that looked into an index
};

/// PostgreSQL: a lock on a table, or an advisory one.
struct ObjectLock {
  enum class Kind : std::uint8_t { Table, OneKey, TwoKeys };
  Kind kind = Kind::Table;
  std::int64_t key = 0;
  sql::ExplicitLock::Mode mode = sql::ExplicitLock::Mode::AccessShare;
  SessionNo owner = kNobody;
  std::uint8_t depth = 0;
  bool is_waiting = false;  ///< those that come later wait for it, too
  bool is_session = false;

  [[nodiscard]] bool is_same(const ObjectLock& other) const {
    return kind == other.kind && key == other.key;
  }
};
[[nodiscard]] bool conflicts(sql::ExplicitLock::Mode a,
                             sql::ExplicitLock::Mode b);

enum class Status : std::uint8_t {
  Ready,         ///< its next request can be made
  Waiting,       ///< its statement waits for `waits_for`
  MustRollBack,  ///< a statement failed, its locks are still held
  Done,
};

/// What one call was told by its statements, and the numbers that it drew from
/// sequences; of its last attempt.
struct CallSeen {
  Hash128 results;
  std::vector<std::int64_t> drawn;
};

struct SessionState {
  std::shared_ptr<const sql::Process> process;  ///< none: Done
  sql::Request request;                         ///< what it wants next
  std::uint32_t call = 0;
  std::uint32_t attempt = 0;
  Status status = Status::Ready;
  bool is_begun = false;         ///< the transaction's first statement was sent
  bool is_woken = false;         ///< Waiting, and what it waited for has ended
  bool has_waited = false;       ///< the statement did, so far
  Stamp snapshot = kNoSnapshot;  ///< of the transaction
  Stamp statement_snapshot = kNoSnapshot;  ///< of the statement
  SessionSet waits_for = 0;
  /// PostgreSQL: those before it in the queue for the row.  They go first, so
  /// that it is waiting for them, too: one of them may be the victim of a
  /// deadlock.
  SessionSet queued_behind = 0;
  LockMode awaited_mode = LockMode::KeyShare;
  bool is_queued = false;
  std::uint64_t touched = 0;  ///< tables with fresh versions or locks of its
  std::uint32_t writes = 0;   ///< row changes so far, for MariaDB's victims
  // MariaDB:
  std::uint32_t writes_before = 0;         ///< the statement
  std::vector<std::uint32_t> table_locks;  ///< intentions, ascending
  /// How many of its changes the statement, which waits, has got the locks for.
  std::uint32_t passed_changes = 0;
  /// Where it waited last: table and index, and the entry.
  std::uint32_t awaited_index = 0;
  const StoredRow* awaited_entry = nullptr;
  /// What the statement, which waits, has read that was not committed.
  std::vector<std::vector<const StoredRow*>> dirty_reads;
  std::vector<std::int64_t> drawn;  ///< sequence numbers of the statement
  /// If set, what sequences give to the call, while that lasts.
  std::shared_ptr<const std::vector<std::int64_t>> given;
  /// By sequence that gives each session numbers of its own: how many so far.
  std::vector<std::uint32_t> taken;
  /// If some statement asks for them.
  sql::SessionNumbers numbers;
  /// Snapshots of the statements of its triggers, for when it runs again.
  std::vector<Stamp> nested_snapshots;
  /// Likewise, which rows SKIP LOCKED has passed over, in the order in which
  /// it came to them.
  std::vector<bool> skips;
  /// And where its rows went.
  std::vector<Spot> spots;
  /// Sub-transactions that are open: `writes` when each began.
  std::vector<std::uint32_t> savepoints;
  Hash128 seen;                     ///< everything its clients were told
  std::vector<CallSeen> calls;      ///< by call, the one that runs is the last
  std::vector<std::uint16_t> ends;  ///< by finished call: codes, 0 committed
  std::vector<std::uint32_t> attempts;  ///< by finished call
  std::uint16_t failure = 0;            ///< of MustRollBack
  /// As finished calls ended, if some assertion looks at their variables.
  std::vector<std::shared_ptr<const sql::Process>> finished;

  /// The statement is over: what it had to remember for another run goes.
  void end_statement() {
    drawn.clear();
    nested_snapshots.clear();
    skips.clear();
    spots.clear();
    has_waited = false;
  }
};

/// Everything that decides how a run can go on.
struct State {
  std::vector<std::shared_ptr<const TableState>> tables;
  std::vector<std::int64_t> sequences;  ///< the next numbers
  std::vector<ObjectLock> objects;      ///< in the order of asking
  std::vector<SessionState> sessions;
  Stamp clock = 0;            ///< of the last commit
  SessionSet deadlocked = 0;  ///< one of these has to die now
  bool had_deadlock = false;  ///< somebody did; `seen` tells that, too
  /// Sessions whose marks others have seen: they have to keep their names.
  SessionSet recognized = 0;
  Ssi ssi;

  [[nodiscard]] const TableState& table(TableId t) const {
    return *tables[t.index];
  }
  /// The table to be changed: a copy of its own if it is shared.
  [[nodiscard]] TableState& change(TableId t);
};

/// The session does not wait for a row any more.
void leave_queue(State& state, SessionNo s);

/// The bit of a table in SessionState::touched.
[[nodiscard]] inline std::uint64_t touch_bit(std::size_t table) {
  return std::uint64_t{1} << (table < 63 ? table : 63);
}

/// Equal for states that go on equally and were seen equally: commit times are
/// replaced by what they still tell apart.
[[nodiscard]] Hash128 hash_of(const State& state);
class Naming;
/// The same for the state with other names of its sessions.
[[nodiscard]] Hash128 hash_of(const State& state, const Naming& names);
/// What can be told of a session without any names: equal for those that an
/// exchange of sessions makes of each other.
[[nodiscard]] Hash128 signature_of(const State& state, SessionNo s);
/// The rows of all tables that are committed.
[[nodiscard]] Hash128 hash_of_committed(const State& state);
[[nodiscard]] Hash128 hash_of_committed(const State& state,
                                        const Naming& names);

/// Nobody has touched a row of the table yet.
void come_to_rest(TableState& table, const sql::Table& shape);

/// Takes transactions of Ssi out of everything that remembers them.
void forget(State& state, TxnSet released);
/// Takes back what a session's statement, and those that it caused, wrote; its
/// locks stay.  `rank` as in Pending.
void undo_statement(State& state, SessionNo s, std::uint8_t rank = 1);
/// Takes back what was written in sub-transactions deeper than `depth`.
/// `frees_locks`: and gives their locks back.
void undo_to(State& state, SessionNo s, std::size_t depth, bool frees_locks);
/// The sub-transaction at `depth` succeeded: what it did is its parent's.
void merge_into_parent(State& state, SessionNo s, std::size_t depth);
/// Forgets versions that no snapshot sees any more, and empty records.
void prune(State& state);

}  // namespace txscope::engine
