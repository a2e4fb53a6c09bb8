#include "audit/execute.h"

#include <algorithm>
#include <utility>

#include "audit/audit_statement.h"
#include "exec/sql/writer.h"

namespace txscope::audit {

using sql::Value;

std::variant<Answer, sql::Interrupted> execute(
    const Prepared& prepared, const sql::LogStatement& observed,
    const Tables& tables, OwnWrites& own, const Sight& sight, GeneratedIds& ids,
    const Budget& budget) {
  if (prepared.is_call())
    return execute_call(prepared, observed, tables, own, sight, ids, budget);
  std::vector<Value> slots;
  slots.reserve(std::max(observed.parameters.size(), prepared.parameters) + 1);
  slots.emplace_back();
  slots.insert(slots.end(), observed.parameters.begin(),
               observed.parameters.end());
  slots.resize(std::max(slots.size(), prepared.parameters + 1));
  const std::size_t mark = own.mark();
  AuditStatement database(prepared, observed, tables, own, sight, ids);
  const bool is_select = prepared.is_select();
  const bool locks = is_select && database.locks(prepared.query());
  Answer answer;
  sql::Writer(*prepared.routines, database, slots, budget)
      .run(is_select && !locks ? *prepared.full : *prepared.statement, 0);
  sql::StatementEnd& end = database.end();
  if (!end.is_done()) {
    own.roll_back(mark);
    const bool is_ours =
        end.kind == sql::StatementEnd::Kind::Undecided && end.error.is_ours;
    if (end.kind != sql::StatementEnd::Kind::Failed && !is_ours)
      return sql::Interrupted{};
    answer.error = std::move(end.error);
    return answer;
  }
  answer.rows = std::move(end.result.rows);
  answer.count = end.result.count;
  answer.waited_for = database.waited_for();
  if (locks) {
    number_rows(prepared.query(), answer.rows);
  } else if (is_select && (prepared.query().limit || prepared.query().offset)) {
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
  }
  return answer;
}

}  // namespace txscope::audit
