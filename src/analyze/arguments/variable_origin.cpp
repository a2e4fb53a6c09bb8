#include "analyze/arguments/variable_origin.h"

#include <variant>

#include "model/sql/walk.h"

namespace txscope::analyze {

const sql::Expr& without_casts(const sql::Expr& e) {
  return e.op == sql::Op::Cast ? without_casts(e.args[0]) : e;
}

std::optional<ColumnRef> column_of(const sql::Expr& e,
                                   const sql::Query& query) {
  const sql::Expr& inner = without_casts(e);
  if (inner.op != sql::Op::Column || inner.level != 0 ||
      inner.relation >= query.relations.size() ||
      query.relations[inner.relation].table == kNone<TableId>)
    return std::nullopt;
  return ColumnRef{query.relations[inner.relation].table, inner.index};
}

VariableOrigins variable_origins(const sql::Routine& routine) {
  VariableOrigins origins;
  sql::for_each_pl(routine.body, [&](const sql::PlStatement& s) {
    const auto* execute = std::get_if<sql::PlExecute>(&s.what);
    if (execute == nullptr || !execute->statement.is_select()) return;
    const sql::Query& query = *std::get<sql::Select>(execute->statement.what);
    for (std::size_t i = 0;
         i < execute->into.size() && i < query.targets.size(); ++i) {
      origins.queries.emplace(execute->into[i], &query);
      if (const auto column = column_of(query.targets[i].expr, query))
        origins.columns.emplace(execute->into[i], *column);
    }
  });
  return origins;
}

}  // namespace txscope::analyze
