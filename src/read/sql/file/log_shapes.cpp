#include "read/sql/file/log_shapes.h"

#include <utility>

namespace txscope::sql {

sql::Routine routine_of(sql::DbStatement statement, std::uint32_t parameters) {
  sql::Routine routine;
  routine.name = "statement";
  routine.parameters = parameters;
  routine.variables.resize(parameters + 1);
  sql::PlStatement execute;
  execute.at = statement.at;
  execute.what = sql::PlExecute{std::move(statement), {}, {}, false, false};
  routine.body.push_back(std::move(execute));
  return routine;
}

std::string last_word(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ';' ||
                           text.back() == '\n' || text.back() == '"'))
    text.remove_suffix(1);
  const std::size_t at = text.find_last_of(" \t\n\"");
  return std::string(at == text.npos ? text : text.substr(at + 1));
}

const PgQuery__FuncCall* call_as_rows(const PgQuery__SelectStmt& select) {
  if (select.n_from_clause != 1 || select.where_clause != nullptr ||
      select.n_group_clause != 0 || select.having_clause != nullptr ||
      select.with_clause != nullptr || select.limit_count != nullptr ||
      select.from_clause[0]->node_case != PG_QUERY__NODE__NODE_RANGE_FUNCTION)
    return nullptr;
  for (const sql::Node* target :
       sql::list(select.n_target_list, select.target_list))
    if (target->res_target->val->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
      return nullptr;
  const PgQuery__RangeFunction& range = *select.from_clause[0]->range_function;
  if (range.n_functions != 1 || range.is_rowsfrom ||
      range.functions[0]->node_case != PG_QUERY__NODE__NODE_LIST ||
      range.functions[0]->list->n_items == 0)
    return nullptr;
  const sql::Node* function = range.functions[0]->list->items[0];
  return function->node_case == PG_QUERY__NODE__NODE_FUNC_CALL
             ? function->func_call
             : nullptr;
}

const PgQuery__FuncCall* only_call(const PgQuery__SelectStmt& select) {
  if (select.n_target_list != 1 || select.n_from_clause != 0 ||
      select.where_clause != nullptr ||
      select.target_list[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
    return nullptr;
  const sql::Node* value = select.target_list[0]->res_target->val;
  return value != nullptr && value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL
             ? value->func_call
             : nullptr;
}

sql::ReadStatement::Kind savepoint_kind(const PgQuery__TransactionStmt& node) {
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
      return sql::ReadStatement::Kind::Savepoint;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
      return sql::ReadStatement::Kind::Release;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      return sql::ReadStatement::Kind::RollbackTo;
    default: return sql::ReadStatement::Kind::Nothing;
  }
}

}  // namespace txscope::sql
