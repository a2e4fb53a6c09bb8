// The nodes that expressions are made of.

#include <string>

#include "read/sql/mysql/parser.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

using Node = PgQuery__Node;

Node* MysqlParser::bool_node(PgQuery__BoolExprType kind, List args,
                             std::int32_t where) {
  auto* made = nodes_.make<PgQuery__BoolExpr>();
  made->boolop = kind;
  made->location = where;
  nodes_.set(made->n_args, made->args, args);
  return nodes_.wrap(made);
}

Node* MysqlParser::a_expr(PgQuery__AExprKind kind, std::string_view name,
                          Node* a, Node* b, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AExpr>();
  made->kind = kind;
  made->location = where;
  made->lexpr = a;
  made->rexpr = b;
  nodes_.set(made->n_name, made->name, {nodes_.string(name)});
  return nodes_.wrap(made);
}

Node* MysqlParser::op(std::string_view name, Node* a, Node* b,
                      std::int32_t where) {
  return a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_OP, name, a, b, where);
}

Node* MysqlParser::text_node(std::string_view value, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_SVAL;
  made->sval = nodes_.make<PgQuery__String>();
  made->sval->sval = nodes_.text(value);
  return nodes_.wrap(made);
}

Node* MysqlParser::integer_node(std::int32_t value, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_IVAL;
  made->ival = nodes_.make<PgQuery__Integer>();
  made->ival->ival = value;
  return nodes_.wrap(made);
}

Node* MysqlParser::number_node(std::string_view digits, std::int32_t where) {
  const bool is_small =
      digits.size() <= 9 &&
      digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_small) return integer_node(std::stoi(std::string(digits)), where);
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_FVAL;
  made->fval = nodes_.make<PgQuery__Float>();
  made->fval->fval = nodes_.text(digits);
  return nodes_.wrap(made);
}

Node* MysqlParser::null_node(std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->isnull = 1;
  return nodes_.wrap(made);
}

Node* MysqlParser::negated(Node* value, std::int32_t where) {
  return bool_node(PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR, {value}, where);
}

Node* MysqlParser::sub_link(PgQuery__SubLinkType kind, Node* test, Node* query,
                            std::int32_t where) {
  auto* made = nodes_.make<PgQuery__SubLink>();
  made->sub_link_type = kind;
  made->testexpr = test;
  made->subselect = query;
  made->location = where;
  return nodes_.wrap(made);
}

}  // namespace txscope::sql
