// A call in a log: its routine runs as everywhere, statement by statement on
// what the transaction sees.

#include <algorithm>
#include <utility>

#include "audit/attempt/statement.h"
#include "audit/rows/key_condition.h"
#include "exec/sql/query/facts.h"
#include "exec/sql/routine/process.h"
#include "exec/sql/writer/writer.h"

namespace txscope::audit {
namespace {

using Request = sql::Request::Kind;

sql::SqlError not_ours(const std::string& what) {
  sql::SqlError error;
  error.message = what;
  error.is_ours = true;
  return error;
}

/// Whether a statement takes the row with a key, whatever else the row has, in
/// its latest version.
bool writes_by_key(const sql::Schema& schema,
                   const sql::DbStatement& statement) {
  if (!statement.parts.empty()) return false;
  if (const auto* gone = std::get_if<sql::Delete>(&statement.what))
    return wants_one_key(schema.at(gone->target.table), gone->where);
  const auto* update = std::get_if<sql::Update>(&statement.what);
  if (update == nullptr) return false;
  const bool asks = std::any_of(
      update->set.begin(), update->set.end(), [](const sql::SetColumn& set) {
        return set.value && sql::facts_of(*set.value).has_query;
      });
  return !asks && wants_one_key(schema.at(update->target.table), update->where);
}

}  // namespace

std::variant<Answer, sql::Interrupted> execute_call(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  Answer answer;
  std::vector<sql::Value> arguments;
  for (const sql::Expr& e : prepared.arguments) {
    const auto value = constant(e, observed);
    if (!value) {
      answer.error = not_ours("an argument that is no constant");
      return answer;
    }
    arguments.push_back(*value);
  }
  const std::size_t begin = own.mark();
  std::size_t drawn = 0;
  Sight counting = sight;
  counting.drawn = &drawn;
  std::vector<std::size_t> marks;  // by sub-transaction
  sql::Process process(*prepared.routines, prepared.routine, arguments);
  while (true) {
    const sql::Request request = process.run(budget);
    if (request.is_nesting()) {
      if (request.kind == Request::RollBackTo)
        own.roll_back(marks[request.depth - (request.reopens ? 1 : 0)]);
      marks.resize(request.depth, own.mark());
      process.proceed();
      continue;
    }
    switch (request.kind) {
      case Request::Statement: {
        counting.reuses_snapshot = request.reuses_snapshot;
        AuditStatement database(observed, tables, own, counting, ids);
        if (writes_by_key(tables.schema(), *request.statement))
          database.settle();
        const std::size_t mark = own.mark();
        sql::Writer(*prepared.routines, database, process.slots(), budget)
            .run(*request.statement, request.max_rows);
        sql::StatementEnd& end = database.end();
        answer.waited_for = std::max(answer.waited_for, database.waited_for());
        answer.is_unsure |= database.is_unsure();
        // Those that it passed it had not changed: this is no way.
        if (end.is_done() && !database.has_changed_passed())
          return sql::Interrupted{};
        if (end.is_done()) {
          process.answer(end.result);
          continue;
        }
        own.roll_back(mark);
        if (end.kind != sql::StatementEnd::Kind::Failed && !end.error.is_ours)
          return sql::Interrupted{};
        process.fail(end.error);
        continue;
      }
      case Request::Returned:
        if (prepared.is_function()) answer.rows.push_back({process.result()});
        answer.count = answer.rows.size();
        return answer;
      case Request::Failed: answer.error = process.error(); break;
      case Request::Spent: return sql::Interrupted{};
      case Request::Cut:
        answer.error = not_ours("a loop that takes too many rounds");
        break;
      default: answer.error = not_ours("COMMIT inside of a call"); break;
    }
    own.roll_back(begin);
    return answer;
  }
}

}  // namespace txscope::audit
