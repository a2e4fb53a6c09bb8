#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

constexpr std::array<std::pair<std::string_view, Op>, 6> kComparisons = {{
    {"=", Op::Equal},
    {"<>", Op::NotEqual},
    {"<", Op::Less},
    {"<=", Op::LessEqual},
    {">", Op::Greater},
    {">=", Op::GreaterEqual},
}};

constexpr std::array<std::pair<std::string_view, Builtin>, 5> kBitwise = {{
    {"&", Builtin::BitAnd},
    {"|", Builtin::BitOr},
    {"#", Builtin::BitXor},
    {"<<", Builtin::ShiftLeft},
    {">>", Builtin::ShiftRight},
}};

constexpr std::array<std::pair<std::string_view, Op>, 5> kArithmetic = {{
    {"+", Op::Add},
    {"-", Op::Subtract},
    {"*", Op::Multiply},
    {"/", Op::Divide},
    {"%", Op::Modulo},
}};

template <class What, std::size_t N>
std::optional<What> find(
    const std::array<std::pair<std::string_view, What>, N>& table,
    std::string_view name) {
  for (const auto& [known, op] : table) {
    if (known == name) return op;
  }
  return std::nullopt;
}

}  // namespace

Expr Operators::a_expr(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const std::string_view op =
      node.n_name == 0 ? "" : string_of(node.name[node.n_name - 1]);
  switch (node.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
      if (node.n_name > 1) source().unsupported(at, "OPERATOR(...) is");
      if (node.lexpr == nullptr) return unary(op, node.rexpr, at);
      if (all_.rows.is_row(node.lexpr) || all_.rows.is_row(node.rexpr))
        return all_.rows.row_comparison(node);
      {
        Expr a = all_.expressions.expr(node.lexpr);
        Expr b = all_.expressions.expr(node.rexpr);
        return binary(op, std::move(a), std::move(b), at);
      }
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT: {
      if (all_.rows.is_row(node.lexpr) && all_.rows.is_row(node.rexpr))
        return all_.rows.row_distinction(node);
      Expr a = all_.expressions.expr(node.lexpr);
      Expr b = all_.expressions.expr(node.rexpr);
      Expr e = comparison(Op::IsDistinct, std::move(a), std::move(b), at, "=");
      if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT) {
        e = make(Op::Not, kBoolean, {std::move(e)}, at);
      }
      return e;
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: {
      Expr a = all_.expressions.expr(node.lexpr);
      Expr b = all_.expressions.expr(node.rexpr);
      TypeName type = a.type.name;
      Type whole = bare(a.type);
      if (is_mysql(scope_.dialect))
        return null_if(std::move(a), std::move(b), at);
      Expr e = comparison(Op::NullIf, std::move(a), std::move(b), at, "=");
      if (type == TypeName::Unknown) {
        whole = bare(e.args[0].type);
        type = whole.name;
      }
      if (kind_of(type) != kind_of(e.args[0].type.name)) {
        source().unsupported(at, "NULLIF of different types is",
                             "cast both to one type");
      }
      e.type = is_text(type) ? kText : whole;
      return e;
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN: return in_list(node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE: return like(node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN: return between(node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
      return all_.synonyms.similar(node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      return all_.synonyms.between_symmetric(node);
    default: return all_.arrays.any_array(node);
  }
}

Expr Operators::binary(std::string_view op, Expr a, Expr b, Span at) {
  if (op == "!=") op = "<>";
  // Two parameters of a log: numbers, if they are computed with.
  const auto is_open = [](const Expr& e) {
    return e.op == Op::Variable && e.type.name == TypeName::Unknown;
  };
  const bool are_open = is_open(a) && is_open(b);
  // MariaDB takes one beside a number as its client sent it, PostgreSQL as the
  // other operand.
  const auto is_exact = [](const Expr& e) {
    return is_integer(e.type.name) || e.type.name == TypeName::Numeric;
  };
  const bool is_number =
      is_mysql(scope_.dialect) &&
      ((is_open(a) && is_exact(b)) || (is_exact(a) && is_open(b)));
  if ((are_open || is_number) && find(kArithmetic, op)) {
    for (Expr* side : {&a, &b})
      if (is_open(*side))
        *side = convert(source(), std::move(*side), {TypeName::Numeric, 0, 0});
  }
  if (is_mysql(scope_.dialect)) {
    if (op == "<#>") {
      std::vector<Expr> sides;
      sides.push_back(mariadb_condition(std::move(a)));
      sides.push_back(mariadb_condition(std::move(b)));
      return make(Op::NotEqual, kBoolean, std::move(sides), at);
    }
    if (auto e = mariadb_operation(op, a, b, at)) return *std::move(e);
  }
  if (auto e = all_.arrays.range_operator(op, a, b, at)) return std::move(*e);
  if (auto e = all_.arrays.container_operator(op, a, b, at))
    return std::move(*e);
  if (const auto found = find(kComparisons, op)) {
    return comparison(*found, std::move(a), std::move(b), at, op);
  }
  if (const auto found = find(kArithmetic, op)) {
    return arithmetic(*found, std::move(a), std::move(b), at, op);
  }
  if (const auto found = find(kBitwise, op);
      found && is_integer(a.type.name) && is_integer(b.type.name)) {
    std::vector<Expr> both;
    both.push_back(std::move(a));
    both.push_back(std::move(b));
    const bool shifts = op == "<<" || op == ">>";
    // The left operand decides how wide a shift is; no count is beyond integer.
    if (shifts && both[1].type.name == TypeName::BigInt) {
      no_operator(op, both[0], both[1], at);
    }
    const Type type =
        shifts ? bare(both[0].type) : all_.expressions.match(both, op);
    return make_builtin(*found, type, std::move(both), at);
  }
  if (op == "~" || op == "~*" || op == "!~" || op == "!~*") {
    return regular_expression(op, std::move(a), std::move(b), at);
  }
  if (op == "||") return concatenation(std::move(a), std::move(b), at);
  if (op == "^") return all_.synonyms.power(std::move(a), std::move(b), at);
  if (op == "^@") {
    std::vector<Expr> both;
    both.push_back(convert(source(), std::move(a), kText));
    both.push_back(convert(source(), std::move(b), kText));
    return make_builtin(Builtin::StartsWith, kBoolean, std::move(both), at);
  }
  source().unsupported(at, "the operator " + std::string(op) + " is",
                       "supported are + - * / % || = <> < <= > >= LIKE ~ and, "
                       "of integers, & | # << >>");
}

void Operators::no_operator(std::string_view op, const Expr& a, const Expr& b,
                            Span at) {
  const std::string what = "operator does not exist: " + to_string(a.type) +
                           " " + std::string(op) + " " + to_string(b.type);
  // Of types that are only stored we know none.
  if (a.type.name == TypeName::Opaque || b.type.name == TypeName::Opaque)
    source().gap(at, what);
  source().fail(at, what, "add a cast if that is meant");
}

/// json has no comparisons at all; of types that are only stored we know none.
void Operators::check_ordered(Op op, const Type& type, Span at,
                              std::string_view name) const {
  const bool is_equality = op == Op::Equal || op == Op::NotEqual ||
                           op == Op::IsDistinct || op == Op::NullIf;
  if (type.name == TypeName::Json) {
    source().fail(
        at, "operator does not exist: json " + std::string(name) + " json",
        "cast both to jsonb or text");
  }
  const bool is_known = type.name != TypeName::Opaque &&
                        (type.name != TypeName::Jsonb || is_equality);
  if (!is_known) {
    source().unsupported(at, "the operator " + std::string(name) + " of " +
                                 to_string(type) + " is");
  }
}

Expr Operators::comparison(Op op, Expr a, Expr b, Span at,
                           std::string_view name) {
  if (is_mysql(scope_.dialect))
    if (auto e = mariadb_comparison(op, a, b, at)) return *std::move(e);
  Type x = bare(a.type);
  Type y = bare(b.type);
  if (x.name == TypeName::Unknown) x = y;
  if (y.name == TypeName::Unknown) y = x;
  Type common = x;
  if (x.name == TypeName::Unknown) {
    common = kText;
  } else if (x != y) {
    const bool is_comparable = (is_number(x.name) && is_number(y.name)) ||
                               (is_text(x.name) && is_text(y.name)) ||
                               (is_time(x.name) && is_time(y.name)) ||
                               (x.name == y.name && converts(x, y));
    if (!is_comparable) no_operator(name, a, b, at);
    common = converts(x, y) ? y : x;
    // There is an operator of real and double precision.
    if (x.name == TypeName::Real || y.name == TypeName::Real) {
      common = {TypeName::Double};
    }
  }
  if (common.name == TypeName::Void) no_operator(name, a, b, at);
  check_ordered(op, common, at, name);
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(a), common));
  args.push_back(convert(source(), std::move(b), common));
  return make(op, kBoolean, std::move(args), at);
}

Expr Operators::arithmetic(Op op, Expr a, Expr b, Span at,
                           std::string_view name) {
  TypeName x = a.type.name;
  TypeName y = b.type.name;
  if (x == TypeName::Unknown && y == TypeName::Unknown) {
    source().fail(
        at, "operator is not unique: unknown " + std::string(name) + " unknown",
        "add a cast to one of the operands");
  }
  const auto in = [&](TypeName operands_a, TypeName operands_b,
                      TypeName result) {
    std::vector<Expr> args;
    args.push_back(convert(source(), std::move(a), {operands_a, 0, 0}));
    args.push_back(convert(source(), std::move(b), {operands_b, 0, 0}));
    return make(op, {result, 0, 0}, std::move(args), at);
  };
  if (auto e = all_.builtins.time_arithmetic(op, a, b, at, name))
    return std::move(*e);
  if (x == TypeName::Date || y == TypeName::Date) {
    // A literal beside '-' is a date; beside '+' it is ambiguous.
    if (op == Op::Subtract && x == TypeName::Unknown) {
      return in(TypeName::Date, y, TypeName::Integer);
    }
    if (op == Op::Subtract && x == TypeName::Date) {
      if (y == TypeName::Date || y == TypeName::Unknown) {
        return in(x, TypeName::Date, TypeName::Integer);
      }
      if (y == TypeName::SmallInt || y == TypeName::Integer) {
        return in(x, TypeName::Integer, TypeName::Date);
      }
    }
    if (op == Op::Add && x == TypeName::Date &&
        (y == TypeName::SmallInt || y == TypeName::Integer)) {
      return in(x, TypeName::Integer, TypeName::Date);
    }
    if (op == Op::Add && y == TypeName::Date &&
        (x == TypeName::SmallInt || x == TypeName::Integer)) {
      return in(TypeName::Integer, y, TypeName::Date);
    }
    no_operator(name, a, b, at);
  }
  if (op == Op::Subtract && x == TypeName::Unknown && is_text(y)) {
    source().unsupported(at, "the operator - of jsonb is");
  }
  if (x == TypeName::Unknown) x = y;
  if (y == TypeName::Unknown) y = x;
  if (!is_number(x) || !is_number(y)) no_operator(name, a, b, at);
  TypeName common = std::max(x, y);
  // There are operators of real with double precision, and of no other number.
  if (common == TypeName::Real && x != y) common = TypeName::Double;
  if (is_real(common) && op == Op::Modulo) no_operator(name, a, b, at);
  return in(common, common, common);
}

Expr Operators::concatenation(Expr a, Expr b, Span at) {
  const TypeName x = a.type.name;
  const TypeName y = b.type.name;
  const auto is_texty = [](TypeName t) {
    return is_text(t) || t == TypeName::Unknown;
  };
  if ((!is_texty(x) && !is_texty(y)) || x == TypeName::Void ||
      y == TypeName::Void) {
    no_operator("||", a, b, at);
  }
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(a), kText));
  args.push_back(convert(source(), std::move(b), kText));
  return make(Op::Concat, kText, std::move(args), at);
}

Expr Operators::like(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  if (node.rexpr->node_case == PG_QUERY__NODE__NODE_FUNC_CALL) {
    const PgQuery__FuncCall& call = *node.rexpr->func_call;
    if (call.n_funcname > 0 &&
        string_of(call.funcname[call.n_funcname - 1]) == "like_escape") {
      source().unsupported(at, "LIKE ... ESCAPE is", "escape with a backslash");
    }
  }
  Expr a = all_.expressions.expr(node.lexpr);
  Expr b = all_.expressions.expr(node.rexpr);
  const auto is_texty = [](const Expr& e) {
    return is_text(e.type.name) || e.type.name == TypeName::Unknown;
  };
  if (is_mysql(scope_.dialect)) {
    if (!is_texty(a)) a = mariadb_cast(source(), std::move(a), kText);
    if (!is_texty(b)) b = mariadb_cast(source(), std::move(b), kText);
    decide_collation(a, b);
  }
  if (!is_texty(a) || !is_texty(b)) no_operator("LIKE", a, b, at);
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(a), kText));
  args.push_back(convert(source(), std::move(b), kText));
  if (node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE) {
    for (Expr& arg : args) {
      Expr any_case = make(Op::Lower, kText, {std::move(arg)}, at);
      arg = std::move(any_case);
    }
  }
  Expr e = make(Op::Like, kBoolean, std::move(args), at);
  if (string_of(node.name[0]).starts_with("!")) {
    e = make(Op::Not, kBoolean, {std::move(e)}, at);
  }
  return e;
}

/// The first, unless it is equal to the other.
Expr Operators::null_if(Expr a, Expr b, Span at) {
  a = decided(source(), std::move(a));
  const Type type = bare(a.type);
  Expr same = comparison(Op::Equal, a, std::move(b), at, "=");
  return make(Op::Case, type,
              {std::move(same), constant({}, type, at), std::move(a)}, at);
}

/// ~, ~*, !~ and !~*.
Expr Operators::regular_expression(std::string_view op, Expr a, Expr b,
                                   Span at) {
  const auto is_texty = [](const Expr& e) {
    return is_text(e.type.name) || e.type.name == TypeName::Unknown;
  };
  if (!is_texty(a) || !is_texty(b)) no_operator(op, a, b, at);
  const bool is_any_case = op.ends_with('*');
  std::vector<Expr> args;
  args.push_back(convert(source(), std::move(a), kText));
  args.push_back(convert(source(), std::move(b), kText));
  Expr e =
      make_builtin(is_any_case ? Builtin::MatchesAnyCase : Builtin::Matches,
                   kBoolean, std::move(args), at);
  if (op.starts_with('!')) e = make(Op::Not, kBoolean, {std::move(e)}, at);
  return e;
}

Expr Operators::between(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const PgQuery__List& bounds = *node.rexpr->list;
  Expr x = all_.expressions.expr(node.lexpr);
  all_.expressions.refuse_query(x, "before BETWEEN");
  Expr low = all_.expressions.expr(bounds.items[0]);
  Expr high = all_.expressions.expr(bounds.items[1]);
  const bool is_inside = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN;
  std::vector<Expr> both;
  both.push_back(comparison(is_inside ? Op::GreaterEqual : Op::Less, x,
                            std::move(low), at, is_inside ? ">=" : "<"));
  both.push_back(comparison(is_inside ? Op::LessEqual : Op::Greater,
                            std::move(x), std::move(high), at,
                            is_inside ? "<=" : ">"));
  return make(is_inside ? Op::And : Op::Or, kBoolean, std::move(both), at);
}

/// (a, b) IN ((1, 2), ...): each row compared with each.
Expr Operators::row_in_list(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const std::vector<Expr> a = all_.rows.row(*node.lexpr);
  for (const Expr& e : a)
    all_.expressions.refuse_query(e, "in a row before IN");
  std::vector<Expr> any;
  for (const Node* item :
       list(node.rexpr->list->n_items, node.rexpr->list->items)) {
    std::vector<Expr> b = all_.rows.row(*item);
    if (a.size() != b.size()) {
      source().fail(at, "the rows have different numbers of columns");
    }
    std::vector<Expr> all;
    for (std::size_t i = 0; i < a.size(); ++i) {
      all.push_back(comparison(Op::Equal, a[i], std::move(b[i]), at, "="));
    }
    any.push_back(all.size() == 1
                      ? std::move(all[0])
                      : make(Op::And, kBoolean, std::move(all), at));
  }
  if (any.size() == 1) return std::move(any[0]);
  return make(Op::Or, kBoolean, std::move(any), at);
}

/// PostgreSQL (transformAExprIn) finds one type for all items without columns
/// if it can, and compares all others one by one.
Expr Operators::scalar_in_list(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const Expr x = all_.expressions.expr(node.lexpr);
  std::vector<Expr> together = {x};
  std::vector<Expr> single;
  ++scope_.conditional;
  for (const Node* item :
       list(node.rexpr->list->n_items, node.rexpr->list->items)) {
    Expr e = all_.expressions.expr(item);
    if (is_mysql(scope_.dialect)) {
      Expr first = x;
      decide_collation(e, first);
    }
    (mentions_column(e, 0) ? single : together).push_back(std::move(e));
  }
  --scope_.conditional;
  std::optional<Type> type = Type();
  for (const Expr& e : together) {
    if (type) type = combined_type(*type, e.type);
  }
  if (together.size() < 3 || !type) {
    single.insert(single.end(), std::make_move_iterator(together.begin() + 1),
                  std::make_move_iterator(together.end()));
    together.resize(1);
  } else {
    all_.expressions.match(together, "IN");
  }
  std::vector<Expr> parts;
  parts.reserve(single.size());
  for (Expr& e : single) {
    parts.push_back(comparison(Op::Equal, x, std::move(e), at, "="));
  }
  // One list again if x has the same form in all of them.
  if (together.size() == 1 && !parts.empty()) together[0] = parts[0].args[0];
  const bool is_one_list =
      std::all_of(parts.begin(), parts.end(), [&together](const Expr& part) {
        return is_same(part.args[0], together[0]);
      });
  if (is_one_list) {
    for (Expr& part : parts) together.push_back(std::move(part.args[1]));
    return make(Op::InList, kBoolean, std::move(together), at);
  }
  all_.expressions.refuse_query(x, "before IN with values of different types");
  if (together.size() > 1) {
    parts.push_back(make(Op::InList, kBoolean, std::move(together), at));
  }
  return make(Op::Or, kBoolean, std::move(parts), at);
}

Expr Operators::in_list(const PgQuery__AExpr& node) {
  Expr e =
      all_.rows.is_row(node.lexpr) ? row_in_list(node) : scalar_in_list(node);
  const bool is_negated = string_of(node.name[0]) == "<>";
  if (!is_negated) return e;
  return make(Op::Not, kBoolean, {std::move(e)}, scope_.tree.at(node.location));
}

Expr Operators::unary(std::string_view op, const Node* operand, Span at) {
  Expr e = all_.expressions.expr(operand);
  if (is_mysql(scope_.dialect))
    if (auto made = mariadb_signed(op, e, at)) return *std::move(made);
  if (op == "+" && is_number(e.type.name)) return e;
  if (op == "@" && is_number(e.type.name)) {
    const Type type = bare(e.type);
    return make(Op::Abs, type, {std::move(e)}, at);
  }
  if (op == "~" && is_integer(e.type.name)) {
    const Type type = bare(e.type);
    return make_builtin(Builtin::BitNot, type, {std::move(e)}, at);
  }
  if (op == "|/" || op == "||/") {
    const Type real{TypeName::Double};
    if (!converts(e.type, real)) {
      source().fail(at, "operator does not exist: " + std::string(op) + " " +
                            to_string(e.type));
    }
    return make_builtin(op == "|/" ? Builtin::Sqrt : Builtin::Cbrt, real,
                        {convert(source(), std::move(e), real)}, at);
  }
  if (op != "-") {
    source().unsupported(at, "the operator " + std::string(op) + " is");
  }
  if (!is_number(e.type.name) && e.type.name != TypeName::Interval) {
    source().fail(at, "operator does not exist: - " + to_string(e.type));
  }
  const Type type = bare(e.type);
  return make(Op::Negate, type, {std::move(e)}, at);
}

}  // namespace txscope::sql::analyzer
