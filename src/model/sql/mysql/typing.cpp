#include "model/sql/mysql/typing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/sql/mysql/node.h"

namespace txscope::sql::mysql {
namespace {

Op compare_op(Operator op) {
  switch (op) {
    case Operator::Equal: return Op::Equal;
    case Operator::NotEqual: return Op::NotEqual;
    case Operator::Less: return Op::Less;
    case Operator::LessEqual: return Op::LessEqual;
    case Operator::Greater: return Op::Greater;
    default: return Op::GreaterEqual;
  }
}

/// In which type two values are compared.
Type comparison_type(const Type& a, const Type& b) {
  const Sort x = sort_of(a);
  const Sort y = sort_of(b);
  if (x == Sort::Null) return b;
  if (y == Sort::Null) return a;
  if (x == Sort::Text && y == Sort::Text) {
    const auto of = [](const Type& t) {
      return t.name == TypeName::Enum ? kGeneralCi : t.of;
    };
    return text_type(joint_collation(of(a), of(b)));
  }
  if (is_temporal(x) && is_temporal(y)) {
    if (x == y) {
      const unsigned digits = std::max(*decimals_of(a), *decimals_of(b));
      return x == Sort::Date   ? kDate
             : x == Sort::Time ? time_type(digits)
                               : datetime_type(digits);
    }
    return datetime_type(6);
  }
  // A text is the moment that it says.
  if (is_temporal(x) && y == Sort::Text)
    return x == Sort::Time ? time_type(6) : datetime_type(6);
  if (is_temporal(y) && x == Sort::Text)
    return y == Sort::Time ? time_type(6) : datetime_type(6);
  if (is_temporal(x) && is_number(y))
    return x == Sort::Time ? kDouble : datetime_type(6);
  if (is_temporal(y) && is_number(x))
    return y == Sort::Time ? kDouble : datetime_type(6);
  if (x == Sort::Integer && y == Sort::Integer)
    return is_big(a) || is_big(b) ? decimal_type(20, 0) : kBigInt;
  if (is_number(x) && is_number(y) && x != Sort::Real && y != Sort::Real)
    return decimal_type(65, std::max(*decimals_of(a), *decimals_of(b)));
  return kDouble;
}

Expr for_comparison(Expr e, const Type& type) {
  const Sort have = sort_of(e.type);
  if (have == Sort::Null) return constant({}, type, e.at);
  // Integers and decimals compare with one another as they are.
  const bool is_exact = have == Sort::Integer || have == Sort::Decimal;
  const Sort want = sort_of(type);
  if (is_exact && (want == Sort::Integer || want == Sort::Decimal))
    return e.type.name == TypeName::Boolean ? converted(std::move(e), kBigInt)
                                            : e;
  if (have == Sort::Text && want == Sort::Text) {
    Expr text = as_text(std::move(e));
    text.type.of = type.of;
    return sort_key(std::move(text));
  }
  if (have == Sort::Date && want == Sort::Date) return e;
  if (have == Sort::DateTime && want == Sort::DateTime) return e;
  if (have == Sort::Time && want == Sort::Time) return e;
  const Span at = e.at;
  if (is_temporal(want) && !is_temporal(have))
    return builtin(Function::Compared, type, {std::move(e)}, at);
  return converted(std::move(e), type);
}

Expr arithmetic(Operator op, Expr a, Expr b, Span at) {
  a = as_number(std::move(a));
  b = as_number(std::move(b));
  const Op own = op == Operator::Add        ? Op::Add
                 : op == Operator::Subtract ? Op::Subtract
                                            : Op::Multiply;
  const Sort x = sort_of(a.type);
  const Sort y = sort_of(b.type);
  if (x == Sort::Real || y == Sort::Real) {
    return node(
        own, kDouble,
        {converted(std::move(a), kDouble), converted(std::move(b), kDouble)},
        at);
  }
  if (x == Sort::Integer && y == Sort::Integer) {
    if (!is_unsigned(a.type) && !is_unsigned(b.type))
      return node(own, kBigInt, {std::move(a), std::move(b)}, at);
    const Type exact = decimal_type(40, 0);
    Expr result = node(
        own, exact,
        {converted(std::move(a), exact), converted(std::move(b), exact)}, at);
    return builtin(Function::FitBig, kBigUnsigned, {std::move(result)}, at);
  }
  const unsigned m = *decimals_of(a.type);
  const unsigned n = *decimals_of(b.type);
  const unsigned scale =
      std::min(own == Op::Multiply ? m + n : std::max(m, n), 38u);
  const unsigned whole =
      own == Op::Multiply
          ? whole_digits(a.type) + whole_digits(b.type)
          : std::max(whole_digits(a.type), whole_digits(b.type)) + 1;
  const Type type = decimal_type(std::min(whole + scale, 65u), scale);
  const auto exact = [](Expr e) {
    return sort_of(e.type) == Sort::Integer
               ? converted(std::move(e), decimal_type(20, 0))
               : e;
  };
  return node(own, type, {exact(std::move(a)), exact(std::move(b))}, at);
}

Expr division(Operator op, Expr a, Expr b, Span at, Strictness strictness) {
  a = as_number(std::move(a));
  b = as_number(std::move(b));
  const bool fails = strictness.division_fails;
  const bool is_real =
      sort_of(a.type) == Sort::Real || sort_of(b.type) == Sort::Real;
  const auto pick = [&](Function mild, Function failing) {
    return fails ? failing : mild;
  };
  const bool has_unsigned = is_unsigned(a.type) || is_unsigned(b.type);
  if (op == Operator::IntDivide) {
    return builtin(pick(Function::IntDivide, Function::IntDivideOrFail),
                   has_unsigned ? kBigUnsigned : kBigInt,
                   {std::move(a), std::move(b)}, at);
  }
  Type type = kDouble;
  if (op == Operator::Modulo) {
    const bool are_integers =
        sort_of(a.type) == Sort::Integer && sort_of(b.type) == Sort::Integer;
    if (are_integers) {
      type = is_unsigned(a.type) ? kBigUnsigned : kBigInt;
    } else if (!is_real) {
      const unsigned scale =
          std::max(*decimals_of(a.type), *decimals_of(b.type));
      const unsigned whole =
          std::max(whole_digits(a.type), whole_digits(b.type));
      type = decimal_type(std::min(whole + scale, 65u), scale);
    }
    return builtin(pick(Function::Modulo, Function::ModuloOrFail), type,
                   {std::move(a), std::move(b)}, at);
  }
  if (!is_real) {  // div_precision_increment is 4
    const unsigned scale = std::min(*decimals_of(a.type) + 4, 38u);
    const unsigned whole = whole_digits(a.type) + *decimals_of(b.type);
    type = decimal_type(std::min(whole + scale, 65u), scale);
  }
  return builtin(pick(Function::Divide, Function::DivideOrFail), type,
                 {std::move(a), std::move(b)}, at);
}

Expr bits(Function function, Expr a, Expr b, Span at) {
  const bool is_shift =
      function == Function::ShiftLeft || function == Function::ShiftRight;
  if (is_shift && sort_of(b.type) == Sort::Text)
    b = converted(std::move(b), kBigInt);
  return builtin(function, kBigUnsigned,
                 {as_number(std::move(a)), as_number(std::move(b))}, at);
}

Expr conjunction(Op op, Expr a, Expr b, Span at) {
  std::vector<Expr> args;
  for (Expr* e : {&a, &b}) {
    Expr one = condition(std::move(*e));
    if (one.op == op)
      for (Expr& arg : one.args) args.push_back(std::move(arg));
    else
      args.push_back(std::move(one));
  }
  return node(op, kBoolean, std::move(args), at);
}

}  // namespace

Expr literal(std::string_view text, Span at) {
  return constant(Value::text(text), text_type(), at);
}
Expr literal(std::int64_t number, Span at) {
  return constant(Value::integer(number), kBigInt, at);
}
Expr literal(Int128 digits, unsigned scale, Span at) {
  if (scale == 0 && digits > range_of(kBigInt).high &&
      digits <= range_of(kBigUnsigned).high) {
    return constant(Value::numeric(digits, 0), kBigUnsigned, at);
  }
  unsigned size = 0;
  for (Int128 rest = digits; rest != 0; rest /= 10) ++size;
  return constant(Value::numeric(digits, scale),
                  decimal_type(std::max(size, scale == 0 ? 1 : scale), scale),
                  at);
}
Expr literal(double number, Span at) {
  return constant(Value::real(number), kDouble, at);
}
Expr null(Span at) { return constant({}, Type{}, at); }

Expr operation(Operator op, Expr a, Expr b, Span at, Strictness strictness) {
  switch (op) {
    case Operator::Add:
    case Operator::Subtract:
    case Operator::Multiply:
      return arithmetic(op, std::move(a), std::move(b), at);
    case Operator::Divide:
    case Operator::IntDivide:
    case Operator::Modulo:
      return division(op, std::move(a), std::move(b), at, strictness);
    case Operator::BitAnd:
      return bits(Function::BitAnd, std::move(a), std::move(b), at);
    case Operator::BitOr:
      return bits(Function::BitOr, std::move(a), std::move(b), at);
    case Operator::BitXor:
      return bits(Function::BitXor, std::move(a), std::move(b), at);
    case Operator::ShiftLeft:
      return bits(Function::ShiftLeft, std::move(a), std::move(b), at);
    case Operator::ShiftRight:
      return bits(Function::ShiftRight, std::move(a), std::move(b), at);
    case Operator::And:
      return conjunction(Op::And, std::move(a), std::move(b), at);
    case Operator::Or:
      return conjunction(Op::Or, std::move(a), std::move(b), at);
    case Operator::Xor:
      return builtin(Function::Xor, kBoolean,
                     {condition(std::move(a)), condition(std::move(b))}, at);
    case Operator::Like:
    case Operator::Regexp:
      return builtin(op == Operator::Like ? Function::Like : Function::Regexp,
                     kBoolean, {as_text(std::move(a)), as_text(std::move(b))},
                     at);
    default: break;
  }
  const Type type = comparison_type(a.type, b.type);
  a = for_comparison(std::move(a), type);
  b = for_comparison(std::move(b), type);
  if (op == Operator::NullSafeEqual) {
    return node(
        Op::Not, kBoolean,
        {node(Op::IsDistinct, kBoolean, {std::move(a), std::move(b)}, at)}, at);
  }
  return node(compare_op(op), kBoolean, {std::move(a), std::move(b)}, at);
}

// - of an unsigned number may need more than BIGINT has.
Expr negated(Expr e, Span at) {
  e = as_number(std::move(e));
  switch (sort_of(e.type)) {
    case Sort::Integer: {
      if (!is_unsigned(e.type))
        return node(Op::Negate, kBigInt, {std::move(e)}, at);
      const Type exact = decimal_type(20, 0);
      return node(Op::Negate, exact, {converted(std::move(e), exact)}, at);
    }
    default: {
      const Type type = e.type;
      return node(Op::Negate, type, {std::move(e)}, at);
    }
  }
}

Expr inverted(Expr e, Span at) {
  return builtin(Function::BitNot, kBigUnsigned, {as_number(std::move(e))}, at);
}

Expr logical_not(Expr e, Span at) {
  return node(Op::Not, kBoolean, {condition(std::move(e))}, at);
}

Expr is_null(Expr e, Span at) {
  return node(Op::IsNull, kBoolean, {std::move(e)}, at);
}

// Each item is compared in the type of its pair; if that is one for all it is
// one list.
Expr in_list(std::vector<Expr> items, Span at) {
  const Type first = items[0].type;
  std::optional<Type> one;
  bool is_one = true;
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (sort_of(items[i].type) == Sort::Null) continue;
    const Type type = comparison_type(first, items[i].type);
    const bool is_exact =
        one && sort_of(*one) != Sort::Text && sort_of(type) == sort_of(*one);
    is_one &= !one || *one == type || is_exact;
    one = type;
  }
  if (is_one) {
    const Type type = one.value_or(first);
    for (Expr& item : items) item = for_comparison(std::move(item), type);
    return node(Op::InList, kBoolean, std::move(items), at);
  }
  std::vector<Expr> any;
  for (std::size_t i = 1; i < items.size(); ++i)
    any.push_back(
        operation(Operator::Equal, items[0], std::move(items[i]), at));
  return node(Op::Or, kBoolean, std::move(any), at);
}

Expr between(Expr e, Expr low, Expr high, Span at) {
  Expr from = operation(Operator::GreaterEqual, e, std::move(low), at);
  Expr to = operation(Operator::LessEqual, std::move(e), std::move(high), at);
  return node(Op::And, kBoolean, {std::move(from), std::move(to)}, at);
}

Expr choice(std::vector<Expr> items, Span at) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_value = i % 2 == 1 || i + 1 == items.size();
    if (is_value) types.push_back(items[i].type);
  }
  const Type type = common_type(types);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_value = i % 2 == 1 || i + 1 == items.size();
    if (is_value) items[i] = converted(std::move(items[i]), type);
  }
  return node(Op::Case, type, std::move(items), at);
}

Expr coalesce(std::vector<Expr> items, Span at) {
  std::vector<Type> types;
  for (const Expr& item : items) types.push_back(item.type);
  const Type type = common_type(types);
  for (Expr& item : items) item = converted(std::move(item), type);
  return node(Op::Coalesce, type, std::move(items), at);
}

Expr null_if(Expr a, Expr b, Span at) {
  const Type type = a.type.name == TypeName::Boolean ? kBigInt : a.type;
  Expr value = converted(a, type);
  Expr same = operation(Operator::Equal, std::move(a), std::move(b), at);
  return node(Op::Case, type,
              {std::move(same), constant({}, type, at), std::move(value)}, at);
}

Expr cast(Expr e, const Type& type, Span at) {
  return builtin(Function::Convert, type, {std::move(e)}, at);
}

Expr collated(Expr text, std::uint16_t collation, Span at) {
  text = as_text(std::move(text));
  if (text.type.of == collation) return text;
  return cast(std::move(text), text_type(collation), at);
}

// A constant is known beforehand, so that it can be looked up.
Expr sort_key(Expr text) {
  const Span at = text.at;
  if (sort_of(text.type) != Sort::Text || text.type.name == TypeName::Enum ||
      !is_padded(text.type.of)) {
    return text;
  }
  const Type type = text_type(kBinary);
  if (text.op == Op::Constant && !text.value.is_null()) {
    return constant(Value::text(sql::sort_key(text.value.text(), text.type.of)),
                    type, at);
  }
  return builtin(Function::SortKey, type, {std::move(text)}, at);
}

Expr date_add(Expr time, Expr amount, std::string_view unit, bool is_subtracted,
              Span at) {
  const bool has_clock = unit.find("HOUR") != std::string_view::npos ||
                         unit.find("MINUTE") != std::string_view::npos ||
                         unit.find("SECOND") != std::string_view::npos;
  const bool has_micros = unit.find("MICRO") != std::string_view::npos ||
                          sort_of(amount.type) == Sort::Decimal ||
                          sort_of(amount.type) == Sort::Real;
  const Sort have = sort_of(time.type);
  // Of a text the result is a text, as long as it says.
  Type type = text_type();
  if (have == Sort::Date)
    type = has_clock ? datetime_type(has_micros ? 6 : 0) : kDate;
  else if (have == Sort::DateTime)
    type = has_micros ? datetime_type(6) : time.type;
  else if (have == Sort::Time)
    type = has_micros ? time_type(6) : time.type;
  return builtin(is_subtracted ? Function::DateSub : Function::DateAdd, type,
                 {std::move(time), std::move(amount), literal(unit, at)}, at);
}

}  // namespace txscope::sql::mysql
