#include "read/sql/mysql/syntax/aliases.h"

#include <algorithm>
#include <array>

namespace txscope::sql::syntax {
namespace {

bool is_aggregate(const PgQuery__FuncCall& call) {
  constexpr std::array<std::string_view, 14> kAggregates = {
      "count",  "sum",     "min",           "max",           "avg",
      "std",    "stddev",  "variance",      "group_concat",  "bit_and",
      "bit_or", "bit_xor", "json_arrayagg", "json_objectagg"};
  const std::string_view name =
      call.funcname[call.n_funcname - 1]->string->sval;
  return call.over != nullptr ||
         std::find(kAggregates.begin(), kAggregates.end(), name) !=
             kAggregates.end();
}

}  // namespace

/// None: no item has the name, or it is the column itself.
Aliases::Node* Aliases::item_named(std::string_view name) const {
  for (std::size_t i = 0; i < select_.n_target_list; ++i) {
    const PgQuery__ResTarget& item = *select_.target_list[i]->res_target;
    if (item.name == nullptr || item.name != name) continue;
    return item.val;
  }
  return nullptr;
}

void Aliases::put_into_all(std::size_t count, Node** items) {
  for (std::size_t i = 0; i < count; ++i) items[i] = put_into(items[i]);
}

Aliases::Node* Aliases::put_into(Node* e) {
  if (e == nullptr) return nullptr;
  switch (e->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: {
      const PgQuery__ColumnRef& ref = *e->column_ref;
      if (ref.n_fields != 1 ||
          ref.fields[0]->node_case != PG_QUERY__NODE__NODE_STRING)
        return e;
      Node* found = item_named(ref.fields[0]->string->sval);
      return found != nullptr ? found : e;
    }
    case PG_QUERY__NODE__NODE_A_EXPR:
      e->a_expr->lexpr = put_into(e->a_expr->lexpr);
      e->a_expr->rexpr = put_into(e->a_expr->rexpr);
      return e;
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      put_into_all(e->bool_expr->n_args, e->bool_expr->args);
      return e;
    case PG_QUERY__NODE__NODE_NULL_TEST:
      e->null_test->arg = put_into(e->null_test->arg);
      return e;
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      e->boolean_test->arg = put_into(e->boolean_test->arg);
      return e;
    case PG_QUERY__NODE__NODE_TYPE_CAST:
      e->type_cast->arg = put_into(e->type_cast->arg);
      return e;
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
      put_into_all(e->coalesce_expr->n_args, e->coalesce_expr->args);
      return e;
    case PG_QUERY__NODE__NODE_LIST:
      put_into_all(e->list->n_items, e->list->items);
      return e;
    case PG_QUERY__NODE__NODE_ROW_EXPR:
      put_into_all(e->row_expr->n_args, e->row_expr->args);
      return e;
    case PG_QUERY__NODE__NODE_SUB_LINK:
      e->sub_link->testexpr = put_into(e->sub_link->testexpr);
      return e;
    case PG_QUERY__NODE__NODE_CASE_EXPR: {
      PgQuery__CaseExpr& choice = *e->case_expr;
      choice.arg = put_into(choice.arg);
      choice.defresult = put_into(choice.defresult);
      for (std::size_t i = 0; i < choice.n_args; ++i) {
        PgQuery__CaseWhen& when = *choice.args[i]->case_when;
        when.expr = put_into(when.expr);
        when.result = put_into(when.result);
      }
      return e;
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      if (!is_aggregate(*e->func_call))
        put_into_all(e->func_call->n_args, e->func_call->args);
      return e;
    default: return e;
  }
}

}  // namespace txscope::sql::syntax
