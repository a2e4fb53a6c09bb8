#include <algorithm>
#include <array>

#include "model/sql/mysql/typing.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

/// The type of an aggregate of values of a type; none: there is no such one.
std::optional<TypeName> aggregate_type(AggregateKind kind, TypeName type) {
  if (type == TypeName::Void) return std::nullopt;
  switch (kind) {
    case AggregateKind::Sum:
      if (is_real(type)) return type;
      if (!is_number(type)) return std::nullopt;
      return type == TypeName::SmallInt || type == TypeName::Integer
                 ? TypeName::BigInt
                 : TypeName::Numeric;
    case AggregateKind::Avg:
      if (is_real(type)) return TypeName::Double;
      if (!is_number(type)) return std::nullopt;
      return TypeName::Numeric;
    case AggregateKind::Min:
    case AggregateKind::Max:
      if (type == TypeName::Boolean || type == TypeName::Uuid ||
          type == TypeName::Json || type == TypeName::Jsonb ||
          type == TypeName::Bytea || type == TypeName::Opaque ||
          type == TypeName::Range) {
        return std::nullopt;
      }
      return type == TypeName::Varchar ? TypeName::Text : type;
    case AggregateKind::BoolAnd:
    case AggregateKind::BoolOr:
      if (type != TypeName::Boolean) return std::nullopt;
      return type;
    case AggregateKind::Count:
    case AggregateKind::CountRows: return TypeName::BigInt;
    default: break;
  }
  return std::nullopt;
}

}  // namespace

Clause Aggregates::aggregate_clause(const PgQuery__FuncCall& node, Span at) {
  const Clause clause = level().clause;
  if (node.over != nullptr) {
    all_.windows.check_window(at);
    if (node.agg_distinct) {
      source().fail(at, "an aggregate with OVER cannot have DISTINCT");
    }
    if (node.n_agg_order > 0) {
      source().fail(
          at, "an aggregate with OVER cannot have an ORDER BY of its own");
    }
  } else if (clause != Clause::Target && clause != Clause::Having &&
             clause != Clause::OrderBy && clause != Clause::Window) {
    source().fail(at,
                  "aggregate functions are not allowed " +
                      std::string(clause_name(clause)),
                  clause == Clause::Where ? "use HAVING or a subquery" : "");
  }
  return clause;
}

Expr Aggregates::aggregate_call(Aggregate aggregate,
                                const PgQuery__FuncCall& node, Span at) {
  if (node.over != nullptr) {
    WindowCall call;
    const Type type = aggregate.type;
    call.aggregate = std::move(aggregate);
    return all_.windows.window_call(std::move(call), type, node, at);
  }
  level().has_aggregate = true;
  Expr e = make(Op::Aggregate, aggregate.type, {}, at);
  e.index = static_cast<std::uint32_t>(level().aggregates.size());
  level().aggregates.push_back(std::move(aggregate));
  return e;
}

std::optional<Expr> Aggregates::aggregate(const PgQuery__FuncCall& node,
                                          std::string_view name, Span at) {
  Aggregate aggregate;
  if (name == "count") {
    aggregate.kind =
        node.agg_star ? AggregateKind::CountRows : AggregateKind::Count;
  } else if (name == "sum") {
    aggregate.kind = AggregateKind::Sum;
  } else if (name == "min") {
    aggregate.kind = AggregateKind::Min;
  } else if (name == "max") {
    aggregate.kind = AggregateKind::Max;
  } else if (name == "avg") {
    aggregate.kind = AggregateKind::Avg;
  } else if (name == "bool_and" || name == "every") {
    aggregate.kind = AggregateKind::BoolAnd;
  } else if (name == "bool_or") {
    aggregate.kind = AggregateKind::BoolOr;
  } else {
    return std::nullopt;
  }
  const Clause clause = aggregate_clause(node, at);
  if (node.agg_filter != nullptr && node.agg_star) {
    aggregate.kind = AggregateKind::Count;
  }
  if (node.n_args != (node.agg_star ? 0u : 1u)) {
    all_.functions.unknown_function(
        name, all_.expressions.exprs(list(node.n_args, node.args)), at);
  }
  aggregate.is_distinct = node.agg_distinct != 0;
  Type whole{TypeName::BigInt};
  if (!node.agg_star || node.agg_filter != nullptr) {
    level().clause = node.over == nullptr ? Clause::Aggregate : Clause::Window;
    ++scope_.conditional;  // evaluated once per row
    Expr argument = node.agg_star ? constant(Value::integer(1), kInteger, at)
                                  : all_.expressions.expr(node.args[0]);
    if (node.agg_filter != nullptr) {
      // These ignore NULLs: FILTER is a CASE without ELSE.
      argument = decided(source(), std::move(argument));
      const Type type = argument.type;
      std::vector<Expr> branch;
      branch.push_back(all_.expressions.boolean(node.agg_filter, "FILTER"));
      branch.push_back(std::move(argument));
      argument = make(Op::Case, type, std::move(branch), at);
    }
    --scope_.conditional;
    level().clause = clause;
    const bool adds_up = aggregate.kind == AggregateKind::Sum ||
                         aggregate.kind == AggregateKind::Avg;
    if (is_mysql(scope_.dialect) && adds_up)
      argument = mariadb_number(std::move(argument));
    if (argument.type.name == TypeName::Unknown) {
      if (aggregate.kind == AggregateKind::Sum ||
          aggregate.kind == AggregateKind::Avg) {
        source().fail(
            at, "function " + std::string(name) + "(unknown) is not unique",
            "add a cast to the argument");
      }
      const bool is_bool = aggregate.kind == AggregateKind::BoolAnd ||
                           aggregate.kind == AggregateKind::BoolOr;
      argument =
          convert(source(), std::move(argument), is_bool ? kBoolean : kText);
    }
    const TypeName type = argument.type.name;
    std::vector<Expr> arguments;
    arguments.push_back(std::move(argument));
    const auto result = aggregate_type(aggregate.kind, type);
    if (!result) all_.functions.unknown_function(name, arguments, at);
    whole = bare(arguments[0].type);
    if (whole.name != *result) whole = {*result};
    if (is_mysql(scope_.dialect) && adds_up && whole.name == TypeName::Numeric)
      whole = mysql::sum_type(mariadb_operand(arguments[0]).type);
    aggregate.argument = std::move(arguments[0]);
  }
  if (is_mysql(scope_.dialect) && aggregate.kind == AggregateKind::Avg) {
    aggregate.type = whole;
    return mysql_average(std::move(aggregate), node, at);
  }
  aggregate.type = whole;
  return aggregate_call(std::move(aggregate), node, at);
}

/// avg(x) is sum(x) / count(x), with four decimals more than x has.
Expr Aggregates::mysql_average(Aggregate sum, const PgQuery__FuncCall& node,
                               Span at) {
  const Type summand = mariadb_operand(*sum.argument).type;
  Aggregate count = sum;
  count.kind = AggregateKind::Count;
  count.type = {TypeName::BigInt};
  sum.kind = AggregateKind::Sum;
  Expr total = aggregate_call(std::move(sum), node, at);
  Expr number = aggregate_call(std::move(count), node, at);
  return mariadb_plain(
      mysql::average_of(std::move(total), std::move(number), summand, at));
}

/// array_agg(), string_agg(), json_agg() and the like.
std::optional<Expr> Aggregates::collecting_aggregate(
    const PgQuery__FuncCall& node, std::string_view name, Span at) {
  Aggregate aggregate;
  Type type;
  std::size_t wanted = 1;
  if (name == "array_agg") {
    aggregate.kind = AggregateKind::ArrayAgg;
  } else if (name == "string_agg") {
    aggregate.kind = AggregateKind::StringAgg;
    type = kText;
    wanted = 2;
  } else if (name == "json_agg" || name == "jsonb_agg") {
    aggregate.kind = AggregateKind::JsonAgg;
    type = {name == "json_agg" ? TypeName::Json : TypeName::Jsonb};
  } else if (name == "json_object_agg" || name == "jsonb_object_agg") {
    aggregate.kind = AggregateKind::JsonObjectAgg;
    type = {name == "json_object_agg" ? TypeName::Json : TypeName::Jsonb};
    wanted = 2;
  } else {
    return std::nullopt;
  }
  if (node.n_args != wanted) return std::nullopt;
  // DISTINCT sorts by the value; an ORDER BY of its own would have to agree.
  const bool is_distinct = node.agg_distinct != 0;
  if (is_distinct &&
      (wanted == 2) == (aggregate.kind != AggregateKind::StringAgg)) {
    source().unsupported(at, "DISTINCT in " + std::string(name) + "() is");
  }
  if (is_distinct && node.n_agg_order > 0) {
    source().unsupported(
        at, "DISTINCT with ORDER BY in " + std::string(name) + "() is");
  }
  const Clause clause = aggregate_clause(node, at);
  level().clause = node.over == nullptr ? Clause::Aggregate : Clause::Window;
  ++scope_.conditional;
  std::vector<Expr> items;
  for (const Node* item : list(node.n_args, node.args)) {
    auto row = all_.rows.whole_row(*item);
    if (row && aggregate.kind == AggregateKind::JsonAgg) {
      items.push_back(
          all_.builtins.row_as_json(std::move(*row), {TypeName::Json}, at));
    } else {
      items.push_back(decided(source(), all_.expressions.expr(item)));
    }
  }
  std::optional<Expr> separator;
  if (aggregate.kind == AggregateKind::StringAgg) {
    if (!is_text(items[0].type.name) || !is_text(items[1].type.name)) {
      all_.functions.unknown_function(name, items, at);
    }
    separator = std::move(items[1]);
    items.pop_back();
  }
  if (aggregate.kind == AggregateKind::ArrayAgg) {
    if (items[0].type.name == TypeName::Array) {
      source().unsupported(at, "an array of arrays is");
    }
    type = array_of(bare(items[0].type));
  }
  for (const Node* item : list(node.n_agg_order, node.agg_order)) {
    const PgQuery__SortBy& key = *item->sort_by;
    items.push_back(decided(source(), all_.expressions.expr(key.node)));
    const bool is_descending =
        key.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    aggregate.order.emplace_back(
        is_descending,
        key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
            ? is_descending
            : key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST);
  }
  if (is_distinct) {
    all_.operators.check_ordered(Op::Less, items[0].type, at, "DISTINCT");
    items.push_back(items[0]);
    aggregate.order.emplace_back(false, false);
    aggregate.is_distinct = true;
  }
  std::optional<Expr> filter;
  if (node.agg_filter != nullptr)
    filter = all_.expressions.boolean(node.agg_filter, "FILTER");
  if (separator) items.push_back(std::move(*separator));
  --scope_.conditional;
  level().clause = clause;
  aggregate.argument =
      make_builtin(Builtin::MakeArray, {TypeName::Array}, std::move(items), at);
  if (filter) {
    // What is left out is no array at all.
    std::vector<Expr> branch;
    branch.push_back(std::move(*filter));
    branch.push_back(std::move(*aggregate.argument));
    aggregate.argument =
        make(Op::Case, {TypeName::Array}, std::move(branch), at);
  }
  aggregate.type = type;
  return aggregate_call(std::move(aggregate), node, at);
}

}  // namespace txscope::sql::analyzer
