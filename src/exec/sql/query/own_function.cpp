// Calls of the application's own functions in expressions.

#include <algorithm>

#include "exec/sql/query/evaluation.h"
#include "exec/sql/writer/inner_call.h"
#include "model/sql/walk.h"

namespace txscope::sql {
namespace {

/// Whether a query reads tables, itself or in functions.
bool looks_at_rows(const Query& query);
bool looks_at_rows(const Expr& e) {
  bool looks = e.op == Op::Function;
  for_each_part(
      e, [&](const Expr& arg) { looks = looks || looks_at_rows(arg); },
      [&](const Query& q) { looks = looks || looks_at_rows(q); });
  return looks;
}
bool looks_at_rows(const Query& query) {
  bool looks =
      std::any_of(query.relations.begin(), query.relations.end(),
                  [](const Relation& r) { return r.table != kNone<TableId>; });
  for_each_part(
      query, [&](const Expr& e) { looks = looks || looks_at_rows(e); },
      [&](const Query& q) { looks = looks || looks_at_rows(q); });
  return looks;
}

}  // namespace

Value Evaluation::call(const Expr& e, const Scope& scope) {
  constexpr unsigned kDepthOfCall = 12;
  Row arguments;
  arguments.reserve(e.args.size());
  for (const Expr& arg : e.args) arguments.push_back(eval(arg, scope));
  if (halt_.is_set()) return {};
  if (depth_ + kDepthOfCall > kMaxDepth)
    return halt_.raise_ours("functions that call each other too deep");
  const bool is_volatile_call =
      routines_.application().at(RoutineId(e.index)).volatility ==
      Volatility::Volatile;
  Process process(routines_, RoutineId(e.index), arguments, settings_);
  for (;;) {
    const Request request = process.run(budget_, depth_ + kDepthOfCall);
    if (request.kind == Request::Kind::Returned) return process.result();
    if (request.kind == Request::Kind::Failed) {
      halt_.set(process.error());
      return {};
    }
    if (request.is_nesting()) {  // it writes nothing, so nothing is undone
      process.proceed();
      continue;
    }
    if (request.kind == Request::Kind::Spent) halt_.interrupt();
    if (request.kind != Request::Kind::Statement)
      return halt_.raise_ours("a loop that reaches its bound");
    const auto* select = std::get_if<Select>(&request.statement->what);
    if (select == nullptr)
      return halt_.raise_ours("a function that writes, in an expression");
    StatementResult result;
    if (is_volatile_call && looks_at_rows(**select)) {
      std::optional<SqlError> error;
      if (!run_inner(routines_, request, process.slots(), budget_, store_,
                     result, error, halt_))
        return {};
      if (error)
        process.fail(*error);
      else
        process.answer(result);
      continue;
    }
    Evaluation inner(routines_, store_, process.slots(), budget_,
                     depth_ + kDepthOfCall);
    inner.use(settings_);
    inner.start((*select)->part);
    result.rows = inner.rows_of(**select, nullptr, request.max_rows);
    result.count = result.rows.size();
    if (inner.halt_.is_error()) {
      process.fail(inner.halt_.error());
      continue;
    }
    if (inner.halt_.is_set()) {
      halt_ = inner.halt_;
      return {};
    }
    process.answer(result);
  }
}

}  // namespace txscope::sql
