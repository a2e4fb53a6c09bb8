#include "engine/server/sqlite.h"

#include <algorithm>

#include "engine/postgres/postgres.h"
#include "model/product/error_class.h"

namespace txscope::engine {
namespace {

bool is_other_begun(const State& state, SessionNo me, bool has_written) {
  for (SessionNo s = 0; s < state.sessions.size(); ++s) {
    const SessionState& other = state.sessions[s];
    if (s != me && other.is_begun && (!has_written || other.writes != 0))
      return true;
  }
  return false;
}

}  // namespace

// A transaction that reads holds SHARED, one that writes RESERVED, of which
// there is only one.  The rows are the last committed ones: nobody can commit
// changes while another transaction is reading.
sql::StatementEnd run_on_sqlite(const Surroundings& around, State& state,
                                SessionNo me, const sql::Request& request) {
  const bool is_write = request.statement->is_write();
  if (is_write && is_other_begun(state, me, true)) {
    sql::StatementEnd busy;
    const ErrorRow& row = error_of(Product::Sqlite, ErrorClass::Serialization);
    busy.fail({std::string(row.code), std::string(row.message), {}, false});
    return busy;
  }
  sql::StatementEnd end = run_on_postgres(
      around, state, me, request, Product::Sqlite, Isolation::ReadCommitted);
  if (is_write) state.sessions[me].writes = 1;
  return end;
}

bool may_commit_on_sqlite(const State& state, SessionNo me) {
  const bool has_changes = std::any_of(
      state.tables.begin(), state.tables.end(), [&](const auto& table) {
        return table->records.is_any_touched(
            [&](const Record& r) { return r.pending.owner == me; });
      });
  return !has_changes || !is_other_begun(state, me, false);
}

}  // namespace txscope::engine
