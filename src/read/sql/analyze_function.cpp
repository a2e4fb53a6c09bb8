#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyzer.h"

namespace txscope::sql {
namespace {

constexpr Type kBigInt{TypeName::BigInt, 0, 0};
constexpr Type kNumeric{TypeName::Numeric, 0, 0};

struct TextFunction {
  std::string_view name;
  Op op;
  Type result;
};
constexpr std::array<TextFunction, 5> kTextFunctions = {{
    {"lower", Op::Lower, kText},
    {"upper", Op::Upper, kText},
    {"length", Op::Length, kInteger},
    {"char_length", Op::Length, kInteger},
    {"character_length", Op::Length, kInteger},
}};

constexpr std::array<std::string_view, 22> kBuiltins = {
    "lower",    "upper", "length",   "char_length", "character_length",
    "abs",      "floor", "ceil",     "ceiling",     "round",
    "mod",      "count", "sum",      "min",         "max",
    "avg",      "every", "bool_and", "bool_or",     "coalesce",
    "greatest", "least"};

struct ForeignFunction {
  std::string_view name;
  std::string_view hint;
};
constexpr std::array<ForeignFunction, 4> kForeignFunctions = {{
    {"currval", "use INSERT ... RETURNING ... INTO"},
    {"lastval", "use INSERT ... RETURNING ... INTO"},
    {"setval", "use a serial or identity column"},
    {"generate_series", "use FOR i IN a..b LOOP, or list the rows"},
}};

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
          type == TypeName::Bytea || type == TypeName::Opaque) {
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

std::string_view clause_name(std::uint8_t clause) {
  constexpr std::array<std::string_view, 12> kNames = {
      "here",         "in WHERE",  "in JOIN conditions",
      "in GROUP BY",  "in HAVING", "in ORDER BY",
      "in LIMIT",     "here",      "in UPDATE",
      "in RETURNING", "in CHECK",  "inside another aggregate",
  };
  return kNames[clause];
}

}  // namespace

Expr Analyzer::func_call(const PgQuery__FuncCall& node) {
  const Span at = tree_.at(node.location);
  std::string name(string_of(node.funcname[node.n_funcname - 1]));
  if (node.over != nullptr) {
    source().unsupported(at, "window functions are",
                         "use an aggregate in a subquery, or ORDER BY and "
                         "LIMIT");
  }
  if (node.agg_within_group) {
    source().unsupported(at, "WITHIN GROUP is");
  }
  if (node.func_variadic) source().unsupported(at, "VARIADIC is");
  if (const Signature* own = meant(node)) {
    return own_function(node, *own, at);
  }
  if (auto e = aggregate(node, name, at)) return std::move(*e);
  if (auto e = collecting_aggregate(node, name, at)) return std::move(*e);
  if (node.agg_distinct) {
    source().fail(at, "DISTINCT is for aggregates, and '" + name + "' is none");
  }
  if (auto e = builtin(node, name, at)) return std::move(*e);
  if (auto e = more_builtin(node, name, at)) return std::move(*e);
  if (auto e = lock_function(node, name, at)) return std::move(*e);
  for (const ForeignFunction& foreign : kForeignFunctions) {
    if (foreign.name == name) {
      source().unsupported(at, "the function " + name + "() is",
                           std::string(foreign.hint));
    }
  }
  unknown_function(name, exprs(list(node.n_args, node.args)), at);
}

void Analyzer::unknown_function(std::string_view name,
                                const std::vector<Expr>& args, Span at) {
  std::string types;
  for (const Expr& arg : args) {
    if (!types.empty()) types += ", ";
    types += to_string(bare(arg.type));
  }
  std::vector<std::string> candidates(kBuiltins.begin(), kBuiltins.end());
  for (const Signature& routine : catalog_.routines) {
    candidates.push_back(routine.name);
  }
  const bool is_known =
      std::find(candidates.begin(), candidates.end(), name) != candidates.end();
  std::string hint = suggestion(name, candidates);
  if (is_known) hint = "the arguments may need a cast";
  if (hint.empty()) {
    hint =
        "own functions have to be created in this file; built in are count, "
        "sum, min, max, avg, lower, upper, length, abs, floor, ceil, round, "
        "mod, coalesce, nullif, greatest, least";
  }
  source().gap(at, "unknown function " + std::string(name) + "(" + types + ")",
               hint);
}

std::optional<Expr> Analyzer::aggregate(const PgQuery__FuncCall& node,
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
  const Clause clause = level().clause;
  if (clause != Clause::Target && clause != Clause::Having &&
      clause != Clause::OrderBy) {
    source().fail(
        at,
        "aggregate functions are not allowed " +
            std::string(clause_name(static_cast<std::uint8_t>(clause))),
        clause == Clause::Where ? "use HAVING or a subquery" : "");
  }
  if (node.agg_filter != nullptr && node.agg_star) {
    aggregate.kind = AggregateKind::Count;
  }
  if (node.n_args != (node.agg_star ? 0u : 1u)) {
    unknown_function(name, exprs(list(node.n_args, node.args)), at);
  }
  aggregate.is_distinct = node.agg_distinct != 0;
  Type whole{TypeName::BigInt};
  if (!node.agg_star || node.agg_filter != nullptr) {
    level().clause = Clause::Aggregate;
    ++conditional_;  // evaluated once per row
    Expr argument = node.agg_star ? constant(Value::integer(1), kInteger, at)
                                  : expr(node.args[0]);
    if (node.agg_filter != nullptr) {
      // These ignore NULLs: FILTER is a CASE without ELSE.
      argument = decided(source(), std::move(argument));
      const Type type = argument.type;
      std::vector<Expr> branch;
      branch.push_back(boolean(node.agg_filter, "FILTER"));
      branch.push_back(std::move(argument));
      argument = make(Op::Case, type, std::move(branch), at);
    }
    --conditional_;
    level().clause = clause;
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
    if (!result) unknown_function(name, arguments, at);
    whole = bare(arguments[0].type);
    if (whole.name != *result) whole = {*result};
    aggregate.argument = std::move(arguments[0]);
  }
  aggregate.type = whole;
  level().has_aggregate = true;
  Expr e = make(Op::Aggregate, aggregate.type, {}, at);
  e.index = static_cast<std::uint32_t>(level().aggregates.size());
  level().aggregates.push_back(std::move(aggregate));
  return e;
}

std::optional<Expr> Analyzer::builtin(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at) {
  if (dialect_ == Dialect::Mariadb && name == "if" && node.n_args == 3) {
    std::vector<Expr> ways = exprs({node.args + 1, 2});
    const Type type = match(ways, "IF");
    std::vector<Expr> parts;
    parts.push_back(boolean(node.args[0], "IF"));
    for (Expr& way : ways) parts.push_back(std::move(way));
    return make(Op::Case, type, std::move(parts), at);
  }
  const bool is_known =
      std::find(kBuiltins.begin(), kBuiltins.end(), name) != kBuiltins.end();
  if (!is_known) return std::nullopt;
  std::vector<Expr> args = exprs(list(node.n_args, node.args));
  const auto refuse = [&] { unknown_function(name, args, at); };
  for (const TextFunction& function : kTextFunctions) {
    if (function.name != name) continue;
    if (args.size() != 1 || (!is_text(args[0].type.name) &&
                             args[0].type.name != TypeName::Unknown)) {
      refuse();
    }
    args[0] = convert(source(), std::move(args[0]), kText);
    return make(function.op, function.result, std::move(args), at);
  }
  if (name == "mod") {
    if (args.size() != 2) refuse();
    Expr b = std::move(args[1]);
    return arithmetic(Op::Modulo, std::move(args[0]), std::move(b), at, "%");
  }
  if (args.empty() || args.size() > (name == "round" ? 2u : 1u)) refuse();
  if (args.size() == 2 && args[0].type.name == TypeName::Unknown) {
    args[0] = convert(source(), std::move(args[0]), kNumeric);
  }
  const TypeName type = args[0].type.name;
  if (type == TypeName::Unknown) {
    source().unsupported(
        at,
        std::string(name) +
            "(unknown) is double precision in PostgreSQL, which is",
        "add a cast to the argument");
  }
  if (!is_number(type)) refuse();
  if (name == "abs") {
    return make(Op::Abs, {type, 0, 0}, std::move(args), at);
  }
  if (args.size() == 2) {
    if (is_real(type)) refuse();
    if (!converts(args[1].type, kInteger)) refuse();
    args[0] = convert(source(), std::move(args[0]), kNumeric);
    args[1] = convert(source(), std::move(args[1]), kInteger);
    return make(Op::Round, kNumeric, std::move(args), at);
  }
  // Of integers these are double precision.
  const Type result =
      type == TypeName::Numeric ? kNumeric : Type{TypeName::Double};
  args[0] = convert(source(), std::move(args[0]), result);
  const Op op = name == "floor"   ? Op::Floor
                : name == "round" ? Op::Round
                                  : Op::Ceil;
  return make(op, result, std::move(args), at);
}

}  // namespace txscope::sql
