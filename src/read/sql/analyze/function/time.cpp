#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

constexpr Type kSpan{TypeName::Interval};
constexpr Type kFactor{TypeName::Double};

}  // namespace

/// + - * / where one operand is a time or an interval; nothing if none is.
std::optional<Expr> Builtins::time_arithmetic(Op op, Expr& a, Expr& b, Span at,
                                              std::string_view name) {
  TypeName x = a.type.name;
  TypeName y = b.type.name;
  const auto is_timely = [](TypeName t) {
    return t == TypeName::Timestamp || t == TypeName::TimestampTz ||
           t == TypeName::Time || t == TypeName::Interval;
  };
  if (!is_timely(x) && !is_timely(y)) return std::nullopt;
  const auto in = [&](Type p, Type q, Type result) -> std::optional<Expr> {
    std::vector<Expr> args;
    args.push_back(convert(source(), std::move(a), p));
    args.push_back(convert(source(), std::move(b), q));
    return make(op, result, std::move(args), at);
  };
  if (op == Op::Multiply || op == Op::Divide) {
    if (x == TypeName::Interval && (is_number(y) || y == TypeName::Unknown)) {
      return in(kSpan, kFactor, kSpan);
    }
    if (op == Op::Multiply && is_number(x) && y == TypeName::Interval) {
      return in(kFactor, kSpan, kSpan);
    }
    all_.operators.no_operator(name, a, b, at);
  }
  if (op != Op::Add && op != Op::Subtract)
    all_.operators.no_operator(name, a, b, at);
  // A literal beside a time is of the same type if they are subtracted, and an
  // interval if they are added.
  if (x == TypeName::Unknown) {
    x = op == Op::Subtract || y == TypeName::Interval ? y : TypeName::Interval;
  }
  if (y == TypeName::Unknown) {
    y = op == Op::Subtract || x == TypeName::Interval ? x : TypeName::Interval;
  }
  const Type p{x};
  const Type q{y};
  if (x == TypeName::Interval && y == TypeName::Interval) return in(p, q, p);
  if (y == TypeName::Interval) {
    if (x == TypeName::Date) {
      const Type stamp{TypeName::Timestamp};
      return in(stamp, q, stamp);
    }
    if (is_timely(x)) return in(p, q, p);
  }
  if (x == TypeName::Interval && op == Op::Add) {
    if (y == TypeName::Date) {
      const Type stamp{TypeName::Timestamp};
      return in(p, stamp, stamp);
    }
    if (is_timely(y)) return in(p, q, q);
  }
  if (op == Op::Subtract && is_time(x) && is_time(y)) {
    const bool has_zone =
        x == TypeName::TimestampTz || y == TypeName::TimestampTz;
    const Type stamp{has_zone ? TypeName::TimestampTz : TypeName::Timestamp};
    return in(stamp, stamp, kSpan);
  }
  if (op == Op::Subtract && x == TypeName::Time && y == TypeName::Time) {
    return in(p, q, kSpan);
  }
  const bool is_day_and_time =
      op == Op::Add && ((x == TypeName::Date && y == TypeName::Time) ||
                        (x == TypeName::Time && y == TypeName::Date));
  if (is_day_and_time) return in(p, q, {TypeName::Timestamp});
  all_.operators.no_operator(name, a, b, at);
}

/// (start, end) OVERLAPS (start, length)
std::optional<Expr> Builtins::overlaps(const PgQuery__FuncCall& node, Span at) {
  std::vector<Expr> args = all_.expressions.exprs(list(node.n_args, node.args));
  Type type;
  for (std::size_t i = 0; i < 4; ++i) {
    if (args[i].type.name == TypeName::Interval && i % 2 == 1)
      args[i] = all_.operators.binary("+", args[i - 1], std::move(args[i]), at);
    const auto next = combined_type(type, args[i].type);
    if (!next) return std::nullopt;
    type = *next;
  }
  if (!is_time(type.name) && type.name != TypeName::Time) return std::nullopt;
  for (Expr& arg : args) arg = convert(source(), std::move(arg), bare(type));
  return make_builtin(Builtin::Overlaps, kBoolean, std::move(args), at);
}

}  // namespace txscope::sql::analyzer
