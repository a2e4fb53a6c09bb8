#include <algorithm>
#include <array>

#include "model/sql/builtin.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

bool is_array(const Type& type) { return type.name == TypeName::Array; }

struct AnyOperator {
  std::string_view name;
  Builtin function;
};
constexpr std::array<AnyOperator, 7> kAny = {{
    {"=", Builtin::EqualsAny},
    {"<>", Builtin::NotEqualAny},
    {"!=", Builtin::NotEqualAny},
    {"<", Builtin::LessAny},
    {"<=", Builtin::LessEqualAny},
    {">", Builtin::GreaterAny},
    {">=", Builtin::GreaterEqualAny},
}};
constexpr std::array<AnyOperator, 7> kAll = {{
    {"=", Builtin::EqualsAll},
    {"<>", Builtin::NotEqualAll},
    {"!=", Builtin::NotEqualAll},
    {"<", Builtin::LessAll},
    {"<=", Builtin::LessEqualAll},
    {">", Builtin::GreaterAll},
    {">=", Builtin::GreaterEqualAll},
}};

}  // namespace

/// ARRAY[...]
Expr Arrays::array_expr(const PgQuery__AArrayExpr& node,
                        std::optional<Type> wanted) {
  const Span at = scope_.tree.at(node.location);
  std::vector<Expr> items =
      all_.expressions.exprs(list(node.n_elements, node.elements));
  for (const Expr& item : items) {
    if (is_array(item.type)) {
      source().unsupported(at, "an array of arrays is");
    }
  }
  if (items.empty()) {
    if (!wanted) {
      source().fail(at, "cannot determine type of empty array",
                    "add a cast: ARRAY[]::integer[]");
    }
    return make_builtin(Builtin::MakeArray, *wanted, {}, at);
  }
  const Type element = all_.expressions.match(items, "ARRAY");
  return make_builtin(Builtin::MakeArray, array_of(element), std::move(items),
                      at);
}

/// a[i], a[i:j], (row).field
Expr Arrays::indirection(const PgQuery__AIndirection& node) {
  const Span at = scope_.tree.whole();
  std::optional<Expr> first = all_.rows.named_field(node);
  Expr e = first ? std::move(*first) : all_.expressions.expr(node.arg);
  for (const Node* item :
       list(node.n_indirection, node.indirection).subspan(first ? 1 : 0)) {
    if (item->node_case == PG_QUERY__NODE__NODE_STRING) {
      e = all_.rows.field(std::move(e), string_of(item), at);
      continue;
    }
    if (item->node_case != PG_QUERY__NODE__NODE_A_INDICES ||
        !is_array(e.type)) {
      source().unsupported(at, "a field of an expression is");
    }
    const PgQuery__AIndices& indices = *item->a_indices;
    const auto bound = [&](const Node* n) {
      Expr b = all_.expressions.expr(n);
      if (!assigns(b.type, kInteger)) {
        source().fail(at, "array subscript must have type integer");
      }
      return assign(source(), std::move(b), kInteger);
    };
    std::vector<Expr> args;
    const Type array = bare(e.type);
    args.push_back(std::move(e));
    const bool from_zero = args[0].op == Op::Variable &&
                           scope_.variables != nullptr &&
                           scope_.variables->counts_from_zero(args[0].index);
    if (from_zero && indices.is_slice) {
      source().unsupported(at, "a slice of TG_ARGV is");
    }
    if (!indices.is_slice) {
      Expr index = bound(indices.uidx);
      if (from_zero) {
        index = all_.operators.arithmetic(
            Op::Add, std::move(index),
            constant(Value::integer(1), kInteger, at), at, "+");
      }
      args.push_back(std::move(index));
      e = make_builtin(Builtin::ArrayItem, element_of(array), std::move(args),
                       at);
      continue;
    }
    if (indices.lidx == nullptr || indices.uidx == nullptr) {
      source().unsupported(at, "a slice without both bounds is");
    }
    args.push_back(bound(indices.lidx));
    args.push_back(bound(indices.uidx));
    e = make_builtin(Builtin::ArraySlice, array, std::move(args), at);
  }
  return e;
}

/// x = ANY (array) and x <> ALL (array).
Expr Arrays::any_array(const PgQuery__AExpr& node) {
  const Span at = scope_.tree.at(node.location);
  const bool is_all = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
  const std::string_view op = string_of(node.name[0]);
  const bool is_comparison =
      std::any_of(kAny.begin(), kAny.end(),
                  [&](const AnyOperator& any) { return any.name == op; });
  if (!is_comparison) return all_.synonyms.any_pattern(node);
  Expr value = all_.expressions.expr(node.lexpr);
  Expr array;
  if (node.rexpr->node_case == PG_QUERY__NODE__NODE_A_ARRAY_EXPR) {
    array = array_expr(*node.rexpr->a_array_expr, std::nullopt);
  } else {
    array = all_.expressions.expr(node.rexpr);
  }
  if (array.type.name == TypeName::Unknown) {
    const Type element =
        value.type.name == TypeName::Unknown ? kText : bare(value.type);
    array = convert(source(), std::move(array), array_of(element));
  }
  if (!is_array(array.type)) {
    source().fail(at, "op ANY/ALL (array) requires array on right side");
  }
  return any_of(std::move(value), std::move(array), op, is_all, at);
}

Expr Arrays::any_of(Expr value, Expr array, std::string_view op, bool is_all,
                    Span at) {
  const Type element = element_of(array.type);
  // Decides on types as the operator of single values does.
  Expr item = constant({}, element, at);
  Expr both = all_.operators.comparison(Op::Equal, std::move(value),
                                        std::move(item), at, op);
  const Type common = bare(both.args[1].type);
  std::vector<Expr> args;
  args.push_back(std::move(both.args[0]));
  args.push_back(convert(source(), std::move(array), array_of(common)));
  for (const AnyOperator& any : is_all ? kAll : kAny)
    if (any.name == op)
      return make_builtin(any.function, kBoolean, std::move(args), at);
  source().unsupported(
      at, std::string(op) + (is_all ? " ALL (array) is" : " ANY (array) is"));
}

std::optional<Expr> Arrays::array_function(const PgQuery__FuncCall& node,
                                           std::string_view name, Span at) {
  struct Known {
    std::string_view name;
    Builtin function;
    std::size_t arguments;
  };
  constexpr std::array<Known, 13> kKnown = {{
      {"array_upper", Builtin::ArrayLength, 2},
      {"array_lower", Builtin::ArrayLower, 2},
      {"array_positions", Builtin::ArrayPositions, 2},
      {"array_replace", Builtin::ArrayReplace, 3},
      {"array_to_string", Builtin::ArrayToString, 3},
      {"array_length", Builtin::ArrayLength, 2},
      {"cardinality", Builtin::Cardinality, 1},
      {"array_append", Builtin::ArrayAppend, 2},
      {"array_prepend", Builtin::ArrayPrepend, 2},
      {"array_cat", Builtin::ArrayCat, 2},
      {"array_position", Builtin::ArrayPosition, 2},
      {"array_remove", Builtin::ArrayRemove, 2},
      {"array_to_string", Builtin::ArrayToString, 2},
  }};
  for (const Known& known : kKnown) {
    if (known.name != name || node.n_args != known.arguments) continue;
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    const std::size_t where = known.function == Builtin::ArrayPrepend ? 1 : 0;
    if (!is_array(args[where].type))
      all_.functions.unknown_function(name, args, at);
    const Type array = bare(args[where].type);
    Type other = element_of(array);
    Type result = array;
    if (known.function == Builtin::ArrayLength ||
        known.function == Builtin::ArrayLower)
      other = result = kInteger;
    if (known.function == Builtin::ArrayPositions) result = array_of(kInteger);
    if (known.function == Builtin::Cardinality) result = kInteger;
    if (known.function == Builtin::ArrayCat) other = array;
    if (known.function == Builtin::ArrayPosition) result = kInteger;
    if (known.function == Builtin::ArrayToString) other = result = kText;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i == where) continue;
      if (!converts(args[i].type, other)) {
        source().unsupported(at, std::string(name) + "() of different types is",
                             "add a cast");
      }
      args[i] = convert(source(), std::move(args[i]), other);
    }
    return make_builtin(known.function, result, std::move(args), at);
  }
  return std::nullopt;
}

/// || @> <@ && of arrays and jsonb, and jsonb's own operators.
std::optional<Expr> Arrays::container_operator(std::string_view op, Expr& a,
                                               Expr& b, Span at) {
  const auto both = [&](Builtin function, Type result, Type x, Type y,
                        bool is_swapped = false) -> std::optional<Expr> {
    std::vector<Expr> args;
    args.push_back(convert(source(), std::move(is_swapped ? b : a), x));
    args.push_back(convert(source(), std::move(is_swapped ? a : b), y));
    return make_builtin(function, result, std::move(args), at);
  };
  const bool is_json =
      a.type.name == TypeName::Json || a.type.name == TypeName::Jsonb;
  const Type json = bare(a.type);
  if (is_json && (op == "->" || op == "->>")) {
    const bool as_text = op == "->>";
    const Type key = is_integer(b.type.name) ? kInteger : kText;
    if (!converts(b.type, key)) return std::nullopt;
    return both(as_text ? Builtin::JsonFieldText : Builtin::JsonField,
                as_text ? kText : json, json, key);
  }
  if (is_json && (op == "#>" || op == "#>>")) {
    const bool as_text = op == "#>>";
    const Type path = array_of(kText);
    if (!converts(b.type, path)) return std::nullopt;
    return both(as_text ? Builtin::JsonPathText : Builtin::JsonPath,
                as_text ? kText : json, json, path);
  }
  const Type jsonb{TypeName::Jsonb};
  if (a.type.name == TypeName::Jsonb || b.type.name == TypeName::Jsonb) {
    const bool are_json = converts(a.type, jsonb) && converts(b.type, jsonb);
    if (op == "||" && are_json) {
      return both(Builtin::JsonConcat, jsonb, jsonb, jsonb);
    }
    if (op == "@>" && are_json) {
      return both(Builtin::JsonContains, kBoolean, jsonb, jsonb);
    }
    if (op == "<@" && are_json) {
      return both(Builtin::JsonContains, kBoolean, jsonb, jsonb, true);
    }
    if ((op == "?|" || op == "?&") && converts(b.type, array_of(kText))) {
      return both(op == "?|" ? Builtin::JsonHasAny : Builtin::JsonHasAll,
                  kBoolean, jsonb, array_of(kText));
    }
    if (op == "#-" && converts(b.type, array_of(kText))) {
      return both(Builtin::JsonDeletePath, jsonb, jsonb, array_of(kText));
    }
    if (op == "-" && a.type.name == TypeName::Jsonb &&
        is_integer(b.type.name) && converts(b.type, kInteger)) {
      return both(Builtin::JsonRemove, jsonb, jsonb, kInteger);
    }
    if (op == "-" && a.type.name == TypeName::Jsonb && is_array(b.type) &&
        converts(b.type, array_of(kText))) {
      return both(Builtin::JsonRemove, jsonb, jsonb, array_of(kText));
    }
    if (op == "?" && converts(b.type, kText)) {
      return both(Builtin::JsonHas, kBoolean, jsonb, kText);
    }
    if (op == "-" && a.type.name == TypeName::Jsonb &&
        converts(b.type, kText)) {
      return both(Builtin::JsonRemove, jsonb, jsonb, kText);
    }
    return std::nullopt;
  }
  const bool has_left = is_array(a.type);
  if (!has_left && !is_array(b.type)) return std::nullopt;
  const Type array = bare(has_left ? a.type : b.type);
  const bool are_arrays = converts(a.type, array) && converts(b.type, array);
  if (op == "||") {
    if (are_arrays) return both(Builtin::ArrayCat, array, array, array);
    if (has_left && converts(b.type, element_of(array))) {
      return both(Builtin::ArrayAppend, array, array, element_of(array));
    }
    if (!has_left && converts(a.type, element_of(array))) {
      return both(Builtin::ArrayPrepend, array, element_of(array), array);
    }
    return std::nullopt;
  }
  if (!are_arrays) return std::nullopt;
  if (op == "@>") return both(Builtin::ArrayContains, kBoolean, array, array);
  if (op == "<@") {
    return both(Builtin::ArrayContains, kBoolean, array, array, true);
  }
  if (op == "&&") return both(Builtin::ArrayOverlaps, kBoolean, array, array);
  return std::nullopt;
}

/// ARRAY(SELECT x ...): array_agg() of its rows, and an empty array of none.
Expr Arrays::array_of_rows(const PgQuery__SubLink& node) {
  const Span at = scope_.tree.at(node.location);
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto inner = all_.queries.subquery(node.subselect, at);
  scope_.levels.pop_back();
  if (inner->targets.size() != 1)
    source().fail(at, "this subquery must return one column");
  const Type element = bare(inner->targets[0].expr.type);
  const Type type = array_of(element);
  auto query = std::make_shared<Query>();
  query->at = at;
  query->is_grouped = true;
  Relation relation;
  relation.query = std::move(inner);
  relation.columns = 1;
  relation.at = at;
  query->relations.push_back(std::move(relation));
  query->joins.emplace_back();
  Aggregate all;
  all.kind = AggregateKind::ArrayAgg;
  all.type = type;
  all.argument = make_builtin(Builtin::MakeArray, type,
                              {make(Op::Column, element, {}, at)}, at);
  query->aggregates.push_back(std::move(all));
  query->targets.push_back({"array", make(Op::Aggregate, type, {}, at)});
  Expr scalar = make(Op::Scalar, type, {}, at);
  scalar.query = std::move(query);
  return make(Op::Coalesce, type,
              {std::move(scalar), constant(Value::array({}), type, at)}, at);
}

}  // namespace txscope::sql::analyzer
