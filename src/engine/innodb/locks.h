#pragma once

#include <optional>
#include <vector>

#include "engine/innodb/index.h"
#include "engine/server/state.h"

namespace txscope::engine {

/// InnoDB's queues of record locks, as in its lock_sys: one per index, of lock
/// objects in the order of their making.  All on a table of a state that may be
/// changed.
class PageLocks {
 public:
  using Kind = PageLock::Kind;
  struct Want {
    std::uint8_t index = 0;
    const StoredRow* entry = nullptr;  ///< none: behind the last one
    LockMode mode = LockMode::Share;
    Kind kind = Kind::NextKey;
  };

  explicit PageLocks(TableState& table) : locks_(table.page_locks) {}

  enum class Reply : std::uint8_t { Had, Granted, Waits };
  /// Asks for a lock; who has to wait is in the queue then.  `is_implied`: a
  /// change of the entry is all the lock that is needed, if it is free.
  Reply ask(SessionNo me, const Want& want, bool is_implied, bool is_inherited);
  /// Whether the entry can be put before `next`; who cannot waits with an
  /// intention.
  Reply ask_to_insert(SessionNo me, std::uint8_t index, const StoredRow* next,
                      bool is_inherited);
  /// The first who stands before such a request.
  [[nodiscard]] std::optional<SessionNo> blocker(SessionNo me,
                                                 const Want& want) const;
  [[nodiscard]] bool has_lock(SessionNo me, const Want& want) const {
    return held(me, want) != nullptr;
  }
  /// A change that nobody has asked a lock for becomes one.
  void make_explicit(SessionNo owner, std::uint8_t index,
                     const StoredRow* entry, bool is_inherited);
  /// The gap before `next` has a new entry in it.
  void split_gap(std::uint8_t index, const StoredRow* entry,
                 const StoredRow* next);
  /// An entry is gone, and its gap is part of the one before `next`.  Those who
  /// waited for it wait no more.
  SessionSet join_gap(std::uint8_t index, const StoredRow* entry,
                      const StoredRow* next);
  /// Gives a lock back that matched nothing.
  void unlock(SessionNo me, const Want& want);
  /// A transaction is over; those who come to the head of their queue have what
  /// they asked for.
  void release(SessionNo owner);

 private:
  [[nodiscard]] const PageLock* held(SessionNo me, const Want& want) const;
  void add(SessionNo owner, Want want, bool is_inherited);
  void make(SessionNo owner, Want want, bool is_waiting, bool is_inherited);

  std::vector<PageLock>& locks_;
};

/// The one who stands before a session that waits.
[[nodiscard]] std::optional<SessionNo> innodb_blocker(const State& state,
                                                      SessionNo s);
/// Entries that are gone give their locks to those behind them.
void drop_gone_entries(const sql::Schema& schema, RowPool& rows, State& state);

}  // namespace txscope::engine
