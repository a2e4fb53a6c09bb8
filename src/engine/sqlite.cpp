#include "engine/sqlite.h"

#include <algorithm>
#include <array>

#include "engine/postgres.h"

namespace txscope::engine {
namespace {

struct BusyCode {
  std::string_view sqlstate;
  std::string_view code;
};
constexpr std::array kSqliteCodes = std::to_array<BusyCode>({
    {"23505", "SQLITE_CONSTRAINT_UNIQUE"},
    {"23503", "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {"23502", "SQLITE_CONSTRAINT_NOTNULL"},
    {"23514", "SQLITE_CONSTRAINT_CHECK"},
});

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
Answer run_on_sqlite(const Surroundings& around, State& state, SessionNo me,
                     const sql::Request& request) {
  const bool is_write = !request.statement->is_select();
  if (is_write && is_other_begun(state, me, true)) {
    Answer busy;
    busy.kind = Answer::Kind::Fail;
    busy.code = "SQLITE_BUSY";
    busy.message = "database is locked";
    return busy;
  }
  Answer answer = run_on_postgres(around, state, me, request, Product::Sqlite,
                                  Isolation::ReadCommitted);
  if (is_write) state.sessions[me].writes = 1;
  for (const BusyCode& pair : kSqliteCodes)
    if (answer.code == pair.sqlstate) answer.code = pair.code;
  return answer;
}

bool may_commit_on_sqlite(const State& state, SessionNo me) {
  const bool has_changes = std::any_of(
      state.tables.begin(), state.tables.end(), [&](const auto& table) {
        return std::any_of(
            table->records.begin(), table->records.end(),
            [&](const Record& r) { return r.pending.owner == me; });
      });
  return !has_changes || !is_other_begun(state, me, false);
}

}  // namespace txscope::engine
