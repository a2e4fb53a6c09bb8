// Locks on tables, and advisory locks.

#include <algorithm>

#include "analysis/footprint.h"
#include "engine/postgres/statement.h"
#include "model/product/error_class.h"

namespace txscope::engine {

using Mode = sql::ExplicitLock::Mode;

// Where statements have a snapshot each it is taken after the wait for a table,
// else before it; LOCK TABLE takes none, nor SET CONSTRAINTS with nothing to
// look at.
bool PostgresStatement::start() {
  const sql::DbStatement& statement = *request_.statement;
  if (statement.sets_constraints && statement.checks.empty()) return true;
  const sql::ExplicitLock* lock = request_.statement->locks.get();
  if (lock != nullptr && !lock->is_advisory()) return true;
  if (keeps_snapshot()) return take_snapshot() && lock_tables();
  return lock_tables() && take_snapshot();
}

bool PostgresStatement::lock_tables() {
  if (!around_.routines.locks_tables()) return true;
  const sql::DbStatement& statement = *request_.statement;
  const Footprint print =
      footprint_of(around_.routines.application(), statement);
  const bool is_locking = statement.locks_rows();
  for (std::size_t t = 0; t < print.reads.size(); ++t) {
    if (!print.reads[t] && !print.writes[t]) continue;
    ObjectLock table;
    table.key = static_cast<std::int64_t>(t);
    table.mode = print.writes[t] ? Mode::RowExclusive
                 : is_locking    ? Mode::RowShare
                                 : Mode::AccessShare;
    bool is_done = false;
    if (!acquire(table, false, is_done)) return false;
  }
  return true;
}

bool PostgresStatement::lock_object(const sql::ExplicitLock& lock,
                                    std::span<const std::int64_t> key,
                                    bool& is_done) {
  if (product_ != Product::PostgreSql)
    return VersionedStatement::lock_object(lock, key, is_done);
  session().touched |= touch_bit(63);
  ObjectLock wanted;
  wanted.mode = lock.mode;
  wanted.is_session = lock.is_session;
  if (lock.is_advisory()) {
    wanted.kind =
        key.size() == 2 ? ObjectLock::Kind::TwoKeys : ObjectLock::Kind::OneKey;
    wanted.key = key.empty() ? 0 : key[0];
    if (key.size() == 2) {
      wanted.key = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(key[0]) << 32 |
          (static_cast<std::uint64_t>(key[1]) & 0xffffffffu));
    }
    if (lock.releases_all) {
      is_done = true;
      std::erase_if(state_.objects, [&](const ObjectLock& held) {
        return held.owner == me_ && held.is_session;
      });
      for (SessionState& other : state_.sessions)
        if (other.status == Status::Waiting &&
            (other.waits_for & only(me_)) != 0)
          other.is_woken = true;
      return true;
    }
    return lock.is_released ? release(wanted, is_done)
                            : acquire(wanted, lock.gives_up, is_done);
  }
  for (const TableId table : lock.tables) {
    wanted.key = table.index;
    if (!acquire(wanted, lock.gives_up, is_done)) return false;
    if (!is_done) {
      return fail(
          std::string(
              error_of(Product::PostgreSql, ErrorClass::LockNotAvailable).code),
          "could not obtain lock on relation \"" + schema(table).name + "\"");
    }
  }
  return true;
}

bool PostgresStatement::acquire(ObjectLock wanted, bool gives_up,
                                bool& is_done) {
  wanted.owner = me_;
  wanted.depth = nested_in();
  auto& objects = state_.objects;
  const auto mine =
      std::find_if(objects.begin(), objects.end(), [&](const ObjectLock& lock) {
        return lock.owner == me_ && lock.is_waiting && lock.is_same(wanted);
      });
  // Who waits for what this session already has cannot be waited for; but
  // NOWAIT does not look behind the queue.
  const auto is_behind_mine = [&](const ObjectLock& waiting) {
    return !gives_up && std::any_of(objects.begin(), objects.end(),
                                    [&](const ObjectLock& held) {
                                      return held.owner == me_ &&
                                             !held.is_waiting &&
                                             held.is_same(waiting) &&
                                             conflicts(held.mode, waiting.mode);
                                    });
  };
  bool has_it = false;
  SessionSet blockers = 0;
  for (auto lock = objects.begin(); lock != objects.end(); ++lock) {
    if (!lock->is_same(wanted)) continue;
    if (lock->owner == me_) {
      has_it |= !lock->is_waiting && lock->mode == wanted.mode;
    } else if (conflicts(lock->mode, wanted.mode) &&
               (!lock->is_waiting || (lock < mine && !is_behind_mine(*lock)))) {
      blockers |= only(lock->owner);
    }
  }
  if (has_it) blockers = 0;
  is_done = blockers == 0;
  if (blockers != 0) {
    if (gives_up) return true;
    if (mine == objects.end()) {
      wanted.is_waiting = true;
      objects.push_back(wanted);
    }
    return wait(blockers);
  }
  if (mine != objects.end()) objects.erase(mine);
  if (!has_it || wanted.is_session) objects.push_back(wanted);
  session().touched |= touch_bit(63);
  return true;
}

bool PostgresStatement::release(const ObjectLock& wanted, bool& is_done) {
  auto& objects = state_.objects;
  const auto held =
      std::find_if(objects.begin(), objects.end(), [&](const ObjectLock& lock) {
        return lock.owner == me_ && !lock.is_waiting && lock.is_session &&
               lock.is_same(wanted) && lock.mode == wanted.mode;
      });
  is_done = held != objects.end();
  if (!is_done) return true;
  objects.erase(held);
  for (SessionState& other : state_.sessions)
    if (other.status == Status::Waiting && (other.waits_for & only(me_)) != 0)
      other.is_woken = true;
  return true;
}

}  // namespace txscope::engine
