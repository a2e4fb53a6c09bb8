// The nodes that expressions and types are made of.

#include <string>

#include "read/sql/mysql/nodes.h"

namespace txscope::sql {

Nodes::Node* Nodes::bool_node(PgQuery__BoolExprType kind, const List& args,
                              std::int32_t where) {
  auto* made = make<PgQuery__BoolExpr>();
  made->boolop = kind;
  made->location = where;
  set(made->n_args, made->args, args);
  return wrap(made);
}

Nodes::Node* Nodes::a_expr(PgQuery__AExprKind kind, std::string_view name,
                           Node* a, Node* b, std::int32_t where) {
  auto* made = make<PgQuery__AExpr>();
  made->kind = kind;
  made->location = where;
  made->lexpr = a;
  made->rexpr = b;
  set(made->n_name, made->name, {string(name)});
  return wrap(made);
}

Nodes::Node* Nodes::op(std::string_view name, Node* a, Node* b,
                       std::int32_t where) {
  return a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_OP, name, a, b, where);
}

Nodes::Node* Nodes::text_node(std::string_view value, std::int32_t where) {
  auto* made = make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_SVAL;
  made->sval = make<PgQuery__String>();
  made->sval->sval = text(value);
  return wrap(made);
}

Nodes::Node* Nodes::integer_node(std::int32_t value, std::int32_t where) {
  auto* made = make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_IVAL;
  made->ival = make<PgQuery__Integer>();
  made->ival->ival = value;
  return wrap(made);
}

Nodes::Node* Nodes::number_node(std::string_view digits, std::int32_t where) {
  const bool is_small =
      digits.size() <= 9 &&
      digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_small) return integer_node(std::stoi(std::string(digits)), where);
  auto* made = make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_FVAL;
  made->fval = make<PgQuery__Float>();
  made->fval->fval = text(digits);
  return wrap(made);
}

Nodes::Node* Nodes::null_node(std::int32_t where) {
  auto* made = make<PgQuery__AConst>();
  made->location = where;
  made->isnull = 1;
  return wrap(made);
}

Nodes::Node* Nodes::negated(Node* value, std::int32_t where) {
  return bool_node(PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR, {value}, where);
}

Nodes::Node* Nodes::sub_link(PgQuery__SubLinkType kind, Node* test, Node* query,
                             std::int32_t where) {
  auto* made = make<PgQuery__SubLink>();
  made->sub_link_type = kind;
  made->testexpr = test;
  made->subselect = query;
  made->location = where;
  return wrap(made);
}

Nodes::Node* Nodes::call(std::string_view name, const List& args,
                         std::int32_t where) {
  auto* made = make<PgQuery__FuncCall>();
  made->location = where;
  set(made->n_funcname, made->funcname, {string(name)});
  set(made->n_args, made->args, args);
  return wrap(made);
}

Nodes::Node* Nodes::cast(Node* value, PgQuery__TypeName* type,
                         std::int32_t where) {
  auto* made = make<PgQuery__TypeCast>();
  made->arg = value;
  made->type_name = type;
  made->location = where;
  return wrap(made);
}

PgQuery__TypeName* Nodes::type_named(
    std::string_view name, std::int32_t where,
    std::initializer_list<std::int32_t> sizes) {
  auto* made = make<PgQuery__TypeName>();
  made->location = where;
  made->typemod = -1;
  set(made->n_names, made->names, {string(name)});
  List all;
  for (const std::int32_t size : sizes)
    all.push_back(integer_node(size, where));
  set(made->n_typmods, made->typmods, all);
  return made;
}

}  // namespace txscope::sql
