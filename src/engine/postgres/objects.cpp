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
  const analysis::Footprint print =
      analysis::footprint_of(around_.routines.application(), statement);
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
  if (lock.is_advisory()) return lock_advisory(lock, key, is_done);
  session().touched |= touch_bit(63);
  ObjectLock wanted;
  wanted.mode = lock.mode;
  wanted.is_session = lock.is_session;
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

}  // namespace txscope::engine
