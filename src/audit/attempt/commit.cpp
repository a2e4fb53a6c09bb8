// What a transaction leaves behind, and whether it may commit so.

#include <algorithm>

#include "audit/attempt/attempt.h"
#include "audit/attempt/commit_checks.h"
#include "audit/attempt/statement.h"
#include "exec/sql/value/index_entry.h"

namespace txscope::audit {

using sql::LogStatus;

bool Attempts::conflicts(Position snapshot) const {
  const Position end = before() + 1;
  return std::any_of(
      own_.all().begin(), own_.all().end(), [&](const auto& write) {
        const bool is_new = write.handle >= kOwnRow;
        if (is_new && write.now == nullptr) return false;
        const bool by_key = rule_ == Rule::Snapshot &&
                            tables_.schema().at(write.table).has_primary_key;
        if (by_key)
          return tables_.is_key_written(
              write.table,
              tables_.key_of(write.table,
                             write.now != nullptr ? *write.now : *write.before),
              snapshot, end);
        return !is_new && tables_.is_row_written(
                              write.table, static_cast<RowNumber>(write.handle),
                              snapshot, end);
      });
}

bool Attempts::breaks_unique() {
  const View latest(tables_, own_, before());
  for (const OwnWrites::Write& write : own_.all()) {
    if (write.now == nullptr) continue;
    for (const sql::UniqueKey& key : tables_.schema().at(write.table).unique) {
      sql::Row values;
      for (const std::uint32_t column : key.columns)
        values.push_back((*write.now)[column]);
      if (latest.has(write.table, key.columns, values, write.handle))
        return true;
    }
    if (breaks_partial(write)) return true;
  }
  return false;
}

/// The same of unique indexes with expressions or WHERE, and of EXCLUDE.
bool Attempts::breaks_partial(const OwnWrites::Write& write) {
  const auto& keys = tables_.schema().at(write.table).partial;
  if (keys.empty()) return false;
  const auto with_routines =
      std::find_if(txn_->statements.begin(), txn_->statements.end(),
                   [](const PreparedPtr& one) { return one->runs(); });
  View latest(tables_, own_, before());
  for (const sql::UniqueKey& key : keys) {
    const sql::KeyConflict is_in_the_way(*(*with_routines)->routines, key,
                                         *write.now);
    sql::Access all;
    all.table = write.table;
    bool is_broken = false;
    (void)latest.scan(all, {}, [&](sql::RowHandle at, const sql::Row& there) {
      is_broken |= at.row != write.handle && is_in_the_way(there);
    });
    if (is_broken) return true;
  }
  return false;
}

/// Of what it wrote, only what is left in the end counts.
bool Attempts::breaks_deferred(Position snapshot) {
  std::vector<sql::DeferredChange> changes;
  const auto value_of = [](const RowPtr& row) {
    return row == nullptr ? std::nullopt : std::optional(*row);
  };
  for (const OwnWrites::Write& write : own_.all())
    if (sql::is_linked(tables_.schema(), write.table,
                       sql::WhichKeys::Deferrable))
      changes.push_back(
          {write.table, value_of(write.before), value_of(write.now)});
  if (changes.empty()) return false;
  const sql::LogStatement nothing;
  Sight sight{before(), nullptr, before()};
  if (rule_ == Rule::PostgresRepeatableRead) {
    sight.at = snapshot;
    sight.keeps_snapshot = true;
  }
  AuditStatement database(nothing, tables_, own_, sight, ids_);
  return !holds_at_commit(*txn_, changes, database, budget_);
}

/// Whether keys were held against the state before it, not the one it saw.
bool Attempts::needs_last_state() const {
  if (rule_ == Rule::Serializable || rule_ == Rule::Snapshot ||
      rule_ == Rule::Prefix)
    return was_refused_;
  if (!own_.empty()) return true;
  for (std::size_t k = 0; k < txn_->statements.size(); ++k) {
    const sql::LogStatement& s = txn_->log->statements[k];
    if (s.error && !is_always_possible(*s.error)) return true;
    // What is taken back to a savepoint, or inside of a call, had been held
    // against keys all the same, and so was what ON CONFLICT passed over.
    const Prepared& prepared = *txn_->statements[k];
    if (skips(k) || !prepared.runs() || !prepared.writes) continue;
    const bool inserts =
        prepared.is_sql() &&
        std::holds_alternative<sql::Insert>(prepared.statement->what);
    if (prepared.runs_routines() || inserts || s.count != std::uint64_t{0})
      return true;
  }
  return false;
}

bool Attempts::commit(Position snapshot) {
  Commit commit;
  commit.snapshot = snapshot;
  commit.seen = seen_;
  commit.after = needs_last_state() ? before() : snapshot;
  const std::size_t end = txn_->statements.size();
  if (txn_->log->status == LogStatus::Aborted) return (*on_commit_)(commit);
  const bool tests_conflicts =
      rule_ == Rule::Snapshot || rule_ == Rule::PostgresRepeatableRead;
  if (tests_conflicts && snapshot != before() && conflicts(snapshot)) {
    note(end, snapshot, "",
         "a row that it writes was written since its "
         "snapshot");
    return false;
  }
  if (rule_ == Rule::MariadbSnapshot && read_view_ && conflicts(*read_view_)) {
    note(end, snapshot, "",
         "a row that it writes was written since its "
         "read view");
    return false;
  }
  if (!assumes_ && (rule_ != Rule::Serializable || seen_.chose) &&
      breaks_unique()) {
    note(end, snapshot, "", "a unique key would be there twice");
    return false;
  }
  if (!assumes_ && breaks_deferred(snapshot)) {
    note(end, snapshot, "", "a foreign key does not hold at its commit");
    return false;
  }
  commit.effects = effects();
  if (std::find(tried_.begin(), tried_.end(), commit.effects) != tried_.end())
    return false;
  tried_.push_back(commit.effects);
  return (*on_commit_)(commit);
}

}  // namespace txscope::audit
