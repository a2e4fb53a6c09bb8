#include "audit/attempt/commit_checks.h"

#include <algorithm>
#include <memory>

#include "exec/sql/writer/writer.h"

namespace txscope::audit {

bool holds_at_commit(const Txn& txn,
                     std::span<const sql::DeferredChange> changes,
                     sql::Database& database, const Budget& budget) {
  const auto with_routines =
      std::find_if(txn.statements.begin(), txn.statements.end(),
                   [](const PreparedPtr& one) { return one->runs(); });
  if (with_routines == txn.statements.end()) return true;
  const sql::Routines& routines = *(*with_routines)->routines;
  sql::DbStatement commit;
  commit.what = std::make_shared<const sql::Query>();
  commit.checks = sql::deferred_checks(routines.application().schema, changes);
  if (commit.checks.empty()) return true;
  sql::Writer(routines, database, {}, budget).run(commit, 0);
  return database.end().is_done();
}

}  // namespace txscope::audit
