#include "audit/attempt/execute.h"

#include <algorithm>
#include <utility>

#include "audit/attempt/shown_rows.h"
#include "audit/attempt/statement.h"
#include "exec/sql/writer/writer.h"

namespace txscope::audit {

namespace {

using sql::Value;

/// The parameters of a statement, from slot 1 on.
std::vector<Value> slots_of(const Prepared& prepared,
                            const sql::LogStatement& observed) {
  std::vector<Value> slots;
  slots.reserve(std::max(observed.parameters.size(), prepared.parameters) + 1);
  slots.emplace_back();
  slots.insert(slots.end(), observed.parameters.begin(),
               observed.parameters.end());
  slots.resize(std::max(slots.size(), prepared.parameters + 1));
  return slots;
}

/// Runs a statement; of a query all rows, LIMIT notwithstanding.
std::variant<Answer, sql::Interrupted> execute_whole(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  const std::vector<Value> slots = slots_of(prepared, observed);
  const std::size_t mark = own.mark();
  std::size_t drawn = 0;
  Sight counting = sight;
  counting.drawn = &drawn;
  // Of rows that are locked for the client itself any may be missing.
  if (prepared.skips_locked() && prepared.statement->parts.empty())
    counting.choices = nullptr;
  AuditStatement database(prepared, observed, tables, own, counting, ids);
  Answer answer;
  sql::Writer(*prepared.routines, database, slots, budget)
      .run(prepared.shows_query() ? *prepared.full : *prepared.statement, 0);
  sql::StatementEnd& end = database.end();
  answer.waited_for = database.waited_for();
  answer.is_unsure = database.is_unsure();
  if (!end.is_done()) {
    own.roll_back(mark);
    const bool is_ours =
        end.kind == sql::StatementEnd::Kind::Undecided && end.error.is_ours;
    if (end.kind != sql::StatementEnd::Kind::Failed && !is_ours)
      return sql::Interrupted{};
    answer.error = std::move(end.error);
    return answer;
  }
  if (!database.has_changed_passed()) {
    own.roll_back(mark);
    return sql::Interrupted{};
  }
  answer.rows = std::move(end.result.rows);
  answer.count = end.result.count;
  if (!prepared.shows_query() ||
      (!prepared.query().limit && !prepared.query().offset))
    return answer;
  sql::Evaluator evaluator(*prepared.routines, database, slots, budget);
  auto window = evaluator.window(prepared.query());
  if (auto* error = std::get_if<sql::SqlError>(&window)) {
    answer = Answer();
    answer.error = std::move(*error);
  } else if (auto* known = std::get_if<sql::Window>(&window)) {
    answer.window = *known;
  } else {
    return sql::Interrupted{};
  }
  return answer;
}

/// Runs a locking SELECT as it was asked for: LIMIT ends it, and rows come in
/// the order in which they were found.
std::variant<Answer, sql::Interrupted> execute_limited(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  const std::vector<Value> slots = slots_of(prepared, observed);
  std::size_t drawn = 0;
  Sight counting = sight;
  counting.drawn = &drawn;
  AuditStatement database(prepared, observed, tables, own, counting, ids);
  sql::Writer(*prepared.routines, database, slots, budget)
      .run(*prepared.statement, 0);
  sql::StatementEnd& end = database.end();
  Answer answer;
  answer.waited_for = database.waited_for();
  answer.is_unsure = database.is_unsure();
  if (!end.is_done()) {
    if (end.kind != sql::StatementEnd::Kind::Failed && !end.error.is_ours)
      return sql::Interrupted{};
    answer.error = std::move(end.error);
    return answer;
  }
  answer.rows = std::move(end.result.rows);
  answer.count = end.result.count;
  number_rows(prepared.query(), answer.rows);
  return answer;
}

}  // namespace

std::variant<Answer, sql::Interrupted> execute(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  if (prepared.is_call())
    return execute_call(prepared, observed, tables, own, sight, ids, budget);
  auto ran = execute_whole(prepared, observed, tables, own, sight, ids, budget);
  auto* answer = std::get_if<Answer>(&ran);
  if (answer == nullptr || !prepared.locks() || answer->waited_for == kSetup)
    return ran;
  // Rows are others by now than those that were found and sorted.
  const sql::Query& query = prepared.query();
  if (!prepared.skips_locked() && !query.order_by.empty())
    return execute_limited(prepared, observed, tables, own, sight, ids, budget);
  // Which of the rows it waited for were among those that it took is open.
  if (!locks_all(tables.schema(), prepared, observed, answer->rows.size()))
    answer->waited_for = kSetup;
  return ran;
}

}  // namespace txscope::audit
