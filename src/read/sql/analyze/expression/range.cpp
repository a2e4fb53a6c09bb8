// Functions and operators of ranges.

#include <array>

#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

bool is_range(const Type& type) { return type.name == TypeName::Range; }

struct RangeFunction {
  std::string_view name;
  Builtin function;
  bool gives_bound;
};
constexpr std::array<RangeFunction, 7> kRangeFunctions = {{
    {"lower", Builtin::RangeLower, true},
    {"upper", Builtin::RangeUpper, true},
    {"isempty", Builtin::RangeIsEmpty, false},
    {"lower_inc", Builtin::RangeLowerIn, false},
    {"upper_inc", Builtin::RangeUpperIn, false},
    {"lower_inf", Builtin::RangeLowerOpen, false},
    {"upper_inf", Builtin::RangeUpperOpen, false},
}};

const RangeFunction* find_function(std::string_view name) {
  for (const RangeFunction& function : kRangeFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace

std::optional<Expr> Arrays::range_function(const PgQuery__FuncCall& node,
                                           std::string_view name, Span at) {
  if (const auto type = range_type(name);
      type && (node.n_args == 2 || node.n_args == 3)) {
    std::vector<Expr> args =
        all_.expressions.exprs(list(node.n_args, node.args));
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Type wanted = i < 2 ? element_of(*type) : kText;
      if (!converts(args[i].type, wanted))
        all_.functions.unknown_function(name, args, at);
      args[i] = convert(source(), std::move(args[i]), wanted);
    }
    return make_builtin(Builtin::MakeRange, *type, std::move(args), at);
  }
  // lower() and upper() are functions of texts, too: see builtin().
  const bool is_other = name == "lower" || name == "upper";
  if (is_other || find_function(name) == nullptr || node.n_args != 1)
    return std::nullopt;
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  if (auto e = property_of_range(name, args[0], at)) return e;
  all_.functions.unknown_function(name, args, at);
}

std::optional<Expr> Arrays::property_of_range(std::string_view name,
                                              Expr& range, Span at) {
  const RangeFunction* known = find_function(name);
  if (known == nullptr || !is_range(range.type)) return std::nullopt;
  const Type result = known->gives_bound ? element_of(range.type) : kBoolean;
  std::vector<Expr> args;
  args.push_back(std::move(range));
  return make_builtin(known->function, result, std::move(args), at);
}

std::optional<Expr> Arrays::range_operator(std::string_view op, Expr& a,
                                           Expr& b, Span at) {
  const auto both = [&](Builtin function, Type x, Type y,
                        bool is_swapped) -> std::optional<Expr> {
    std::vector<Expr> args;
    args.push_back(convert(source(), std::move(is_swapped ? b : a), x));
    args.push_back(convert(source(), std::move(is_swapped ? a : b), y));
    return make_builtin(function, kBoolean, std::move(args), at);
  };
  if (!is_range(a.type) && !is_range(b.type)) return std::nullopt;
  const Type range = is_range(a.type) ? a.type : b.type;
  const bool are_ranges = converts(a.type, range) && converts(b.type, range);
  if (op == "&&" && are_ranges)
    return both(Builtin::RangeOverlaps, range, range, false);
  if ((op == "<<" || op == ">>") && are_ranges)
    return both(Builtin::RangeBefore, range, range, op == ">>");
  if (op != "@>" && op != "<@") return std::nullopt;
  const bool is_swapped = op == "<@";
  const Expr& whole = is_swapped ? b : a;
  const Expr& part = is_swapped ? a : b;
  if (are_ranges) return both(Builtin::RangeContains, range, range, is_swapped);
  if (!is_range(whole.type) || !converts(part.type, element_of(range)))
    return std::nullopt;
  return both(Builtin::RangeHas, range, element_of(range), is_swapped);
}

}  // namespace txscope::sql::analyzer
