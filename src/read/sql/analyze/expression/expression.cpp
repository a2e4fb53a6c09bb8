#include <algorithm>
#include <array>
#include <limits>

#include "base/suggest.h"
#include "model/sql/mysql/types.h"
#include "model/sql/value/parse_value.h"
#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"
#include "read/sql/schema/catalog_answer.h"

namespace txscope::sql::analyzer {
namespace {

constexpr std::uint32_t kDeepestExpr = Program::kMaxNesting;

/// What PostgreSQL's parser calls a node that we have no meaning for.
std::string_view foreign_node(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: return "GROUPING() is";
    case PG_QUERY__NODE__NODE_GROUPING_SET: return "GROUPING SETS are";
    case PG_QUERY__NODE__NODE_CURRENT_OF_EXPR: return "WHERE CURRENT OF is";
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
      return "arguments by name (name => value) are";
    case PG_QUERY__NODE__NODE_XML_EXPR: return "XML is";
    case PG_QUERY__NODE__NODE_SET_TO_DEFAULT: return "DEFAULT here is";
    case PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF:
      return "SET (...) = (SELECT ...) is";
    default: return "this kind of expression is";
  }
}

}  // namespace

Expr Expressions::of_row(const Node& node, const Table* table, TableId id) {
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().clause = table != nullptr ? Clause::Check : Clause::Values;
  if (table != nullptr) {
    RelationNames names;
    names.name = table->name;
    names.table = id;
    for (const Column& column : table->columns) {
      names.columns.push_back({column.name, column.type, false});
    }
    level().relations.push_back(std::move(names));
  }
  Expr e = expr(&node);
  scope_.levels.pop_back();
  return e;
}

Expr Expressions::expr(const Node* node) {
  if (node == nullptr)
    source().fail(scope_.tree.whole(), "expected an expression");
  if (++scope_.depth > kDeepestExpr) {
    source().fail(scope_.tree.whole(),
                  "an expression here is nested too deeply",
                  "at most " + std::to_string(kDeepestExpr) + " levels");
  }
  Expr e = dispatch(*node);
  --scope_.depth;
  return e;
}

std::vector<Expr> Expressions::exprs(NodeList nodes) {
  std::vector<Expr> all;
  all.reserve(nodes.size());
  for (const Node* node : nodes) all.push_back(expr(node));
  return all;
}

Expr Expressions::dispatch(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: return column_ref(*node.column_ref);
    case PG_QUERY__NODE__NODE_A_CONST: return constant_of(*node.a_const);
    case PG_QUERY__NODE__NODE_A_EXPR:
      return all_.operators.a_expr(*node.a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR: return bool_expr(*node.bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST: return null_test(*node.null_test);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return boolean_test(*node.boolean_test);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return case_expr(*node.case_expr);
    case PG_QUERY__NODE__NODE_TYPE_CAST: return type_cast(*node.type_cast);
    case PG_QUERY__NODE__NODE_SUB_LINK: {
      ++scope_.links;
      Expr e = sub_link(*node.sub_link);
      --scope_.links;
      return e;
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return all_.functions.func_call(*node.func_call);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: {
      const auto& c = *node.coalesce_expr;
      ++scope_.conditional;
      auto args = exprs(list(c.n_args, c.args));
      --scope_.conditional;
      const Type type = match(args, "COALESCE");
      return make(Op::Coalesce, type, std::move(args),
                  scope_.tree.at(c.location));
    }
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const auto& m = *node.min_max_expr;
      const bool is_greatest = m.op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      auto args = exprs(list(m.n_args, m.args));
      const Type type = match(args, is_greatest ? "GREATEST" : "LEAST");
      return make(is_greatest ? Op::Greatest : Op::Least, type, std::move(args),
                  scope_.tree.at(m.location));
    }
    case PG_QUERY__NODE__NODE_PARAM_REF: {
      const auto& p = *node.param_ref;
      const Span at = scope_.tree.at(p.location);
      if (scope_.has_parameters && p.number > 0) {
        const auto& row = scope_.levels[0]->relations[0].columns;
        const auto column = static_cast<std::size_t>(p.number - 1);
        if (column < row.size()) {
          Expr e = make(Op::Column, row[column].type, {}, at);
          e.level = static_cast<std::uint32_t>(scope_.levels.size() - 1);
          e.index = static_cast<std::uint32_t>(column);
          return e;
        }
      }
      if (scope_.variables != nullptr && p.number > 0) {
        if (const auto found = scope_.variables->parameter(
                static_cast<std::uint32_t>(p.number))) {
          return scope_.variable(*found, at);
        }
      }
      source().fail(at, "there is no parameter $" + std::to_string(p.number),
                    "a session runs with values: write a constant there, or "
                    "make a procedure with parameters and CALL it");
    }
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
      return all_.builtins.sql_value(*node.sqlvalue_function);
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
      return all_.arrays.array_expr(*node.a_array_expr, std::nullopt);
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
      return all_.arrays.indirection(*node.a_indirection);
    case PG_QUERY__NODE__NODE_ROW_EXPR: return all_.rows.row_constructor(node);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
      return expr(node.collate_clause->arg);
    default: break;
  }
  Span at = scope_.tree.whole();
  if (node.node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) {
    at = scope_.tree.at(node.named_arg_expr->location);
  } else if (node.node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT) {
    at = scope_.tree.at(node.set_to_default->location);
  }
  source().unsupported(at, foreign_node(node));
}

Expr Expressions::column_ref(const PgQuery__ColumnRef& ref) {
  std::vector<std::string> name;
  const Span at = scope_.tree.dotted_name(ref.location);
  for (const Node* field : list(ref.n_fields, ref.fields)) {
    if (field->node_case == PG_QUERY__NODE__NODE_A_STAR) {
      if (name.size() == 1)
        if (auto row = all_.rows.row_named(name[0], at)) return std::move(*row);
      source().unsupported(at, "a whole row here is",
                           "name the columns one by one");
    }
    name.emplace_back(string_of(field));
  }
  if (is_mysql(scope_.dialect)) {
    // A variable hides a column; the database before a table means nothing.
    if (scope_.variables != nullptr)
      if (const auto found = scope_.variables->find(name, at, true))
        return scope_.variable(*found, at);
    if (name.size() == 3) name.erase(name.begin());
  }
  std::optional<Expr> column = scope_.find_column(name, at);
  if (!column && name.size() == 1) {
    if (auto row = all_.rows.row_named(name[0], at)) return std::move(*row);
  }
  if (scope_.variables == nullptr) {
    if (!column) scope_.unknown_name(name, at);
    return *column;
  }
  if (column && scope_.variables->column_wins()) return *column;
  const auto found = scope_.variables->find(name, at, column.has_value());
  const bool is_record = column && name.size() == 1 &&
                         !scope_.variables->record(name[0], at).empty();
  if (column && (found || is_record)) {
    source().fail(
        at,
        "'" + joined(name) + "' is ambiguous: it is a column and a variable",
        "rename the variable, or write table.column");
  }
  if (found) return scope_.variable(*found, at);
  if (!column) scope_.unknown_name(name, at);
  return *column;
}

Expr Expressions::constant_of(const PgQuery__AConst& node) {
  const Span at = scope_.tree.at(node.location);
  if (node.isnull) return constant({}, {TypeName::Unknown, 0, 0}, at);
  switch (node.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return constant(Value::integer(node.ival->ival),
                      {TypeName::Integer, 0, 0}, at);
    case PG_QUERY__A__CONST__VAL_FVAL: {
      const std::string_view text = view(node.fval->fval);
      if (const auto value = parse_value(text, TypeName::BigInt)) {
        // PostgreSQL's scanner knows no sign: -2147483648 comes here, too.
        const bool is_least =
            value->integer() == std::numeric_limits<std::int32_t>::min();
        const TypeName type = is_least ? TypeName::Integer : TypeName::BigInt;
        return constant(*value, {type, 0, 0}, at);
      }
      const auto value = parse_value(text, TypeName::Numeric);
      if (!value) {
        source().fail(at, "this number has too many digits",
                      "at most 38 digits are supported");
      }
      return constant(*value, {TypeName::Numeric, 0, 0}, at);
    }
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      return constant(Value::boolean(node.boolval->boolval != 0), kBoolean, at);
    case PG_QUERY__A__CONST__VAL_SVAL:
      return constant(Value::text(view(node.sval->sval)),
                      {TypeName::Unknown, 0, 0}, at);
    default: source().unsupported(at, "a constant of this kind is");
  }
}

Expr Expressions::boolean(const Node* node, std::string_view where) {
  Expr e = expr(node);
  if (is_mysql(scope_.dialect)) return mariadb_condition(std::move(e));
  if (!converts(e.type, kBoolean)) {
    source().fail(e.at, "the argument of " + std::string(where) +
                            " must be boolean, not " + to_string(e.type));
  }
  return convert(source(), std::move(e), kBoolean);
}

void Expressions::refuse_query(const Expr& e, std::string_view where) const {
  if (e.query != nullptr) {
    source().unsupported(e.at, "a subquery " + std::string(where) + " is",
                         "compare it with each value");
  }
  for (const Expr& arg : e.args) refuse_query(arg, where);
}

Expr Expressions::bool_expr(const PgQuery__BoolExpr& node) {
  const Span at = scope_.tree.at(node.location);
  if (node.boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
    return make(Op::Not, kBoolean, {boolean(node.args[0], "NOT")}, at);
  }
  const bool is_and = node.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
  std::vector<Expr> args;
  ++scope_.conditional;
  for (const Node* arg : list(node.n_args, node.args)) {
    args.push_back(boolean(arg, is_and ? "AND" : "OR"));
  }
  --scope_.conditional;
  return make(is_and ? Op::And : Op::Or, kBoolean, std::move(args), at);
}

Type Expressions::match(std::vector<Expr>& all, std::string_view what) {
  Type type;
  for (const Expr& e : all) {
    const auto next = combined_type(type, e.type);
    if (!next && is_mysql(scope_.dialect)) return mariadb_match(all);
    if (!next) {
      source().fail(e.at, std::string(what) + " types " +
                              to_string(bare(type)) + " and " +
                              to_string(bare(e.type)) + " cannot be matched");
    }
    type = *next;
  }
  if (type.name == TypeName::Unknown) type = kText;
  const Type common = bare(type);
  for (Expr& e : all) e = convert(source(), std::move(e), common);
  return common;
}

Expr Expressions::case_expr(const PgQuery__CaseExpr& node) {
  const Span at = scope_.tree.at(node.location);
  std::optional<Expr> subject;
  if (node.arg != nullptr) subject = decided(source(), expr(node.arg));
  if (subject && node.n_args > 1)
    refuse_query(*subject, "as the subject of CASE");
  std::vector<Expr> conditions;
  std::vector<Expr> values;
  ++scope_.conditional;
  for (const Node* item : list(node.n_args, node.args)) {
    const PgQuery__CaseWhen& when = *item->case_when;
    if (subject) {
      conditions.push_back(
          all_.operators.comparison(Op::Equal, *subject, expr(when.expr),
                                    scope_.tree.at(when.location), "="));
    } else {
      conditions.push_back(boolean(when.expr, "CASE WHEN"));
    }
    values.push_back(expr(when.result));
  }
  // PostgreSQL looks at the type of the ELSE branch first.
  const bool has_else = node.defresult != nullptr;
  if (has_else) values.insert(values.begin(), expr(node.defresult));
  --scope_.conditional;
  const Type type = match(values, "CASE");
  std::vector<Expr> args;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    args.push_back(std::move(conditions[i]));
    args.push_back(std::move(values[i + (has_else ? 1 : 0)]));
  }
  if (has_else) args.push_back(std::move(values[0]));
  return make(Op::Case, type, std::move(args), at);
}

Expr Expressions::boolean_test(const PgQuery__BooleanTest& node) {
  const Span at = scope_.tree.at(node.location);
  Expr arg = boolean(node.arg, "IS TRUE");
  const auto test = [&](Op op, bool is_negated) {
    Expr e = make(op, kBoolean, {std::move(arg)}, at);
    return is_negated ? make(Op::Not, kBoolean, {std::move(e)}, at)
                      : std::move(e);
  };
  switch (node.booltesttype) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE: return test(Op::IsTrue, false);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE: return test(Op::IsTrue, true);
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE: return test(Op::IsFalse, false);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE: return test(Op::IsFalse, true);
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN: return test(Op::IsNull, false);
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN:
      return test(Op::IsNull, true);
    default: source().unsupported(at, "this test is");
  }
}

/// A record IS NULL if all its fields are, IS NOT NULL if none of them is.
std::optional<Expr> Expressions::record_null_test(
    const PgQuery__NullTest& node) {
  const bool is_name = node.arg->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
                       node.arg->column_ref->n_fields == 1;
  if (!is_name || scope_.variables == nullptr) return std::nullopt;
  const std::vector<std::string> name = {
      std::string(string_of(node.arg->column_ref->fields[0]))};
  const Span at = scope_.tree.at(node.location);
  const auto fields = scope_.variables->record(name[0], at);
  if (fields.empty() || scope_.find_column(name, at)) return std::nullopt;
  scope_.record_test = at;
  std::vector<Expr> all;
  for (const Names::Found& field : fields) {
    Expr e;
    e.op = Op::Variable;
    e.type = field.type;
    e.index = field.slot;
    e.at = at;
    e = make(Op::IsNull, kBoolean, {std::move(e)}, at);
    if (node.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL) {
      e = make(Op::Not, kBoolean, {std::move(e)}, at);
    }
    all.push_back(std::move(e));
  }
  if (all.size() == 1) return std::move(all[0]);
  return make(Op::And, kBoolean, std::move(all), at);
}

Expr Expressions::null_test(const PgQuery__NullTest& node) {
  if (auto e = record_null_test(node)) return std::move(*e);
  const Span at = scope_.tree.at(node.location);
  Expr tested = decided(source(), expr(node.arg));
  if (tested.type.name == TypeName::Composite) {
    return all_.rows.row_null_test(
        std::move(tested),
        node.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL, at);
  }
  Expr e = make(Op::IsNull, kBoolean, {std::move(tested)}, at);
  if (node.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL) {
    e = make(Op::Not, kBoolean, {std::move(e)}, at);
  }
  return e;
}

namespace {

/// n of bit(n), which is a number of bits that is known; none: another type.
std::optional<std::int32_t> bit_count(const PgQuery__TypeName& type) {
  if (type.n_names == 0 || string_of(type.names[type.n_names - 1]) != "bit" ||
      type.n_array_bounds != 0)
    return std::nullopt;
  if (type.n_typmods == 0) return 1;
  const Node& size = *type.typmods[0];
  if (type.n_typmods != 1 || size.node_case != PG_QUERY__NODE__NODE_A_CONST ||
      size.a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL)
    return std::nullopt;
  return size.a_const->ival->ival;
}

}  // namespace

/// text::bit(n)::bigint, the number that digits like 'x1f' are.
std::optional<Expr> Expressions::number_of_bits(const PgQuery__TypeCast& node,
                                                const Type& to) {
  if ((to.name != TypeName::BigInt && to.name != TypeName::Integer) ||
      node.arg->node_case != PG_QUERY__NODE__NODE_TYPE_CAST)
    return std::nullopt;
  const PgQuery__TypeCast& inner = *node.arg->type_cast;
  const auto count = bit_count(*inner.type_name);
  if (!count) return std::nullopt;
  Expr text = expr(inner.arg);
  if (!is_text(text.type.name) && text.type.name != TypeName::Unknown)
    return std::nullopt;
  const Span at = scope_.tree.at(node.location);
  const auto number = [&](std::int64_t value) {
    return constant(Value::integer(value), kInteger, at);
  };
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(text), kText));
  args.push_back(number(*count));
  args.push_back(number(to.name == TypeName::BigInt ? 64 : 32));
  return make_builtin(Builtin::BitsToNumber, to, std::move(args), at);
}

Expr Expressions::type_cast(const PgQuery__TypeCast& node) {
  if (is_mysql(scope_.dialect)) {
    const auto& names = *node.type_name;
    const std::string_view name = string_of(names.names[names.n_names - 1]);
    const Type to = name == "unsigned" ? mysql::integer_type(8, true)
                    : name == "signed" ? Type{TypeName::BigInt}
                                       : read_type(scope_.tree, scope_.catalog,
                                                   *node.type_name);
    return mariadb_cast(source(), expr(node.arg), to);
  }
  const Type to = read_type(scope_.tree, scope_.catalog, *node.type_name);
  if (node.arg->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR &&
      node.arg->a_array_expr->n_elements == 0 && to.name == TypeName::Array) {
    return all_.arrays.array_expr(*node.arg->a_array_expr, to);
  }
  if (auto number = number_of_bits(node, to)) return std::move(*number);
  Expr e = expr(node.arg);
  if (!casts(e.type, to)) {
    source().fail(
        scope_.tree.at(node.location),
        "cannot cast type " + to_string(e.type) + " to " + to_string(to));
  }
  return cast(source(), std::move(e), to);
}

namespace {

/// The call that (SELECT f(...)) consists of.
const PgQuery__FuncCall* call_alone(const Node& subselect) {
  if (subselect.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return nullptr;
  const PgQuery__SelectStmt& select = *subselect.select_stmt;
  const bool is_plain =
      select.n_target_list == 1 && select.n_from_clause == 0 &&
      select.where_clause == nullptr && select.with_clause == nullptr &&
      select.n_sort_clause == 0 && select.limit_count == nullptr &&
      select.op == PG_QUERY__SET_OPERATION__SETOP_NONE;
  if (!is_plain) return nullptr;
  const Node* value = select.target_list[0]->res_target->val;
  return value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? value->func_call
                                                            : nullptr;
}

}  // namespace

Expr Expressions::sub_link(const PgQuery__SubLink& node) {
  const Span at = scope_.tree.at(node.location);
  switch (node.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: {
      if (auto known = known_exists(node, at)) return std::move(*known);
      Expr e = make(Op::Exists, kBoolean, {}, at);
      e.query = all_.queries.subquery(node.subselect, at, 1);
      return e;
    }
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: {
      if (const PgQuery__FuncCall* call = call_alone(*node.subselect)) {
        const Signature* own = all_.calls.meant(*call);
        if (own != nullptr && own->must_be_lifted())
          return all_.functions.func_call(*call);
      }
      auto inner = all_.queries.subquery(node.subselect, at, 2);
      if (inner->targets.size() != 1) {
        source().fail(at, "this subquery must return one column");
      }
      Expr e = make(Op::Scalar, inner->targets[0].expr.type, {}, at);
      e.query = std::move(inner);
      return e;
    }
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK: return in_query(node);
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK:
      return all_.arrays.array_of_rows(node);
    default: source().unsupported(at, "a subquery of this kind is");
  }
}

/// What a block that runs now asks the server's catalogue.
std::optional<Expr> Expressions::known_exists(const PgQuery__SubLink& node,
                                              Span at) const {
  if (!scope_.catalog.runs_now ||
      node.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return std::nullopt;
  const auto found =
      finds_in_catalog(*node.subselect->select_stmt, scope_.catalog);
  if (!found) return std::nullopt;
  return constant(Value::boolean(*found), kBoolean, at);
}

Expr Expressions::in_query(const PgQuery__SubLink& node) {
  const Span at = scope_.tree.at(node.location);
  const bool is_all =
      node.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
  const std::string_view op =
      node.n_oper_name == 0 ? "=" : string_of(node.oper_name[0]);
  if (op != (is_all ? "<>" : "=")) return all_.synonyms.any_row(node);
  std::vector<Expr> args = all_.rows.row(*node.testexpr);
  auto inner = all_.queries.subquery(node.subselect, at);
  if (inner->targets.size() != args.size()) {
    source().fail(at, "this subquery must return " +
                          std::to_string(args.size()) +
                          (args.size() == 1 ? " column" : " columns"));
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    Expr& column = inner->targets[i].expr;
    // The comparison decides on types as '=' does.
    Expr both = all_.operators.comparison(Op::Equal, std::move(args[i]), column,
                                          at, "=");
    args[i] = std::move(both.args[0]);
    if (inner->is_distinct || !inner->order_by.empty()) {
      if (!is_same(both.args[1], column)) {
        source().unsupported(at, "IN with columns of different types is",
                             "add a cast to the subquery's column");
      }
    }
    column = std::move(both.args[1]);
  }
  Expr e = make(Op::InQuery, kBoolean, std::move(args), at);
  e.query = std::move(inner);
  return is_all ? make(Op::Not, kBoolean, {std::move(e)}, at) : std::move(e);
}

}  // namespace txscope::sql::analyzer
