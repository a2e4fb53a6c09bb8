// Values as others need them: as a number, a condition, what a column holds.

#include <algorithm>
#include <utility>

#include "model/sql/mysql/node.h"
#include "model/sql/mysql/typing.h"

namespace txscope::sql::mysql {
namespace {

/// Both of one representation, without a change of value: integers of any
/// size; an integer is a decimal.
bool is_kept(const Type& from, const Type& to) {
  if (from == to) return true;
  const Sort a = sort_of(from);
  if (a != sort_of(to)) return false;
  switch (a) {
    case Sort::Integer:
      return kind_of(from.name) == kind_of(to.name) &&
             range_of(from).low >= range_of(to).low &&
             range_of(from).high <= range_of(to).high;
    case Sort::Decimal: return false;
    case Sort::Real: return from.name == to.name;
    case Sort::Text:
      return from.name != TypeName::Enum && from.of == to.of && to.size == 0;
    case Sort::Date: return true;
    case Sort::DateTime:
    case Sort::Time: return from.size <= to.size;
    default: return false;
  }
}

}  // namespace

Expr assigned(Expr e, const Type& column, Strictness strictness, Span at) {
  if (sort_of(e.type) == Sort::Null) return constant({}, column, at);
  return builtin(
      strictness.is_strict ? Function::Assign : Function::AssignLoose, column,
      {std::move(e)}, at);
}

Expr condition(Expr e) {
  if (e.type.name == TypeName::Boolean) return e;
  const Span at = e.at;
  if (sort_of(e.type) == Sort::Null) return constant({}, kBoolean, at);
  Expr value = as_number(std::move(e));
  Expr zero = sort_of(value.type) == Sort::Real
                  ? constant(Value::real(0), kDouble, at)
                  : literal(std::int64_t{0}, at);
  if (value.type.name == TypeName::Real)
    value = converted(std::move(value), kDouble);
  return node(Op::NotEqual, kBoolean, {std::move(value), std::move(zero)}, at);
}

Expr shown(Expr e) {
  if (e.type.name != TypeName::Boolean) return e;
  return converted(std::move(e), kBigInt);
}

Expr as_number(Expr e) {
  switch (sort_of(e.type)) {
    case Sort::Null: return constant({}, kBigInt, e.at);
    case Sort::Integer: return shown(std::move(e));
    case Sort::Decimal:
    case Sort::Real: return e;
    case Sort::Date: return converted(std::move(e), kBigInt);
    case Sort::DateTime:
    case Sort::Time: {
      const unsigned digits = *decimals_of(e.type);
      return converted(std::move(e),
                       digits == 0 ? kBigInt : decimal_type(20, digits));
    }
    case Sort::Text:
      if (e.type.name == TypeName::Enum)
        return converted(std::move(e), kBigInt);
      break;
    case Sort::Other: break;
  }
  return converted(std::move(e), kDouble);
}

Expr as_text(Expr e) {
  const bool is_text =
      sort_of(e.type) == Sort::Text && e.type.name != TypeName::Enum;
  return is_text ? e : converted(std::move(e), text_type());
}

Expr converted(Expr e, const Type& type) {
  const Span at = e.at;
  if (sort_of(e.type) == Sort::Null) return constant({}, type, at);
  if (is_kept(e.type, type)) return e;
  // What PostgreSQL's casts do as well.
  const bool is_plain =
      (e.type.name == TypeName::Boolean && type == kBigInt) ||
      (sort_of(e.type) == Sort::Integer && !is_big(e.type) &&
       e.type.name != TypeName::Boolean && sort_of(type) == Sort::Decimal &&
       type.scale == 0 && type.size >= 19);
  if (is_plain) {
    const Type to =
        sort_of(type) == Sort::Decimal
            ? Type{TypeName::Numeric, 0, 0, TypeName::Unknown, type.of}
            : type;
    Expr cast = node(Op::Cast, to, {std::move(e)}, at);
    cast.type = type;
    return cast;
  }
  return builtin(Function::Convert, type, {std::move(e)}, at);
}

Expr summand(Expr e) { return as_number(std::move(e)); }

Type sum_type(const Type& summand) {
  if (sort_of(summand) == Sort::Real) return kDouble;
  const unsigned scale = *decimals_of(summand);
  return decimal_type(std::min(whole_digits(summand) + 22 + scale, 65u), scale);
}

Expr average_of(Expr sum, Expr count, const Type& summand, Span at) {
  const bool is_real = sort_of(summand) == Sort::Real;
  const Type type =
      is_real ? kDouble
              : decimal_type(
                    std::min(whole_digits(summand) + 4u + *decimals_of(summand),
                             65u),
                    std::min(*decimals_of(summand) + 4, 38u));
  return builtin(Function::Divide, type, {std::move(sum), std::move(count)},
                 at);
}

}  // namespace txscope::sql::mysql
