#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyze/analyzer.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

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
constexpr std::array<ForeignFunction, 2> kForeignFunctions = {{
    {"setval", "use a serial or identity column"},
    {"generate_series", "use FOR i IN a..b LOOP, or list the rows"},
}};

}  // namespace

Expr Functions::func_call(const PgQuery__FuncCall& node) {
  const Span at = scope_.tree.at(node.location);
  std::string name(string_of(node.funcname[node.n_funcname - 1]));
  if (node.agg_within_group) {
    source().unsupported(at, "WITHIN GROUP is");
  }
  const bool may_be_own = node.over == nullptr && !node.agg_star;
  const Signature* own = may_be_own ? all_.calls.meant(node) : nullptr;
  // A trigger's function cannot be called: its name may be a built-in's, too.
  if (own != nullptr && !own->is_trigger)
    return all_.calls.own_function(node, *own, at);
  const bool is_theirs = is_mysql(scope_.dialect) && !is_renamed_;
  is_renamed_ = false;
  if (is_theirs && node.over == nullptr)
    if (auto e = mysql_function(node, name, at)) return std::move(*e);
  if (auto e = identity_function(node, name, at)) return std::move(*e);
  if (node.func_variadic)
    source().unsupported(at, "VARIADIC for '" + name + "' is");
  if (auto e = all_.aggregates.aggregate(node, name, at)) return std::move(*e);
  if (auto e = all_.aggregates.collecting_aggregate(node, name, at))
    return std::move(*e);
  if (auto e = all_.windows.window_function(node, name, at))
    return std::move(*e);
  if (node.over != nullptr) {
    source().fail(at, "OVER specified, but '" + name +
                          "' is neither a window function nor an aggregate");
  }
  if (node.agg_distinct) {
    source().fail(at, "DISTINCT is for aggregates, and '" + name + "' is none");
  }
  if (auto e = all_.arrays.range_function(node, name, at)) return std::move(*e);
  if (auto e = builtin(node, name, at)) return std::move(*e);
  if (auto e = all_.builtins.more_builtin(node, name, at)) return std::move(*e);
  if (auto e = password_function(node, name, at)) return std::move(*e);
  if (auto e = lock_function(node, name, at)) return std::move(*e);
  for (const ForeignFunction& foreign : kForeignFunctions) {
    if (foreign.name == name) {
      source().unsupported(at, "the function " + name + "() is",
                           std::string(foreign.hint));
    }
  }
  if (own != nullptr) return all_.calls.own_function(node, *own, at);
  unknown_function(name, all_.expressions.exprs(list(node.n_args, node.args)),
                   at);
}

void Functions::unknown_function(std::string_view name,
                                 const std::vector<Expr>& args, Span at) {
  std::string types;
  for (const Expr& arg : args) {
    if (!types.empty()) types += ", ";
    types += to_string(bare(arg.type));
  }
  std::vector<std::string> candidates(kBuiltins.begin(), kBuiltins.end());
  add_plain_names(candidates);
  for (const Signature& routine : scope_.catalog.routines) {
    candidates.push_back(routine.name);
  }
  const bool is_known =
      std::find(candidates.begin(), candidates.end(), name) != candidates.end();
  std::string hint = suggestion(name, candidates);
  if (is_known) hint = "the arguments may need a cast";
  if (hint.empty()) {
    hint =
        "create the function in this file; docs/sql.md lists the built-in ones";
  }
  source().unknown_function(at, name, types, hint);
}

std::optional<Expr> Functions::builtin(const PgQuery__FuncCall& node,
                                       std::string_view name, Span at) {
  if (is_mysql(scope_.dialect) && name == "if" && node.n_args == 3) {
    std::vector<Expr> ways = all_.expressions.exprs({node.args + 1, 2});
    const Type type = all_.expressions.match(ways, "IF");
    std::vector<Expr> parts;
    parts.push_back(all_.expressions.boolean(node.args[0], "IF"));
    for (Expr& way : ways) parts.push_back(std::move(way));
    return make(Op::Case, type, std::move(parts), at);
  }
  const bool is_known =
      std::find(kBuiltins.begin(), kBuiltins.end(), name) != kBuiltins.end();
  if (!is_known) return std::nullopt;
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  const auto refuse = [&] { unknown_function(name, args, at); };
  for (const TextFunction& function : kTextFunctions) {
    if (function.name != name) continue;
    if (args.size() == 1) {
      if (auto e = all_.arrays.property_of_range(name, args[0], at)) return e;
    }
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
    return all_.operators.arithmetic(Op::Modulo, std::move(args[0]),
                                     std::move(b), at, "%");
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

}  // namespace txscope::sql::analyzer
