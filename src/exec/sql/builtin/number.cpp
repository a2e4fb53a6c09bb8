#include <cmath>
#include <limits>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/real.h"

namespace txscope::sql {
namespace {

constexpr double kRadiansPerDegree = 0.0174532925199432957692;

/// Towards zero.
Value truncated(std::span<const Value> args, Halt& halt) {
  const Value& v = args[0];
  if (v.kind() == Kind::Float) return Value::real(std::trunc(v.real()));
  const std::int64_t wanted = args.size() > 1 ? args[1].integer() : 0;
  if (wanted < 0) return halt.raise_ours("trunc() to tens and hundreds");
  if (static_cast<std::int64_t>(v.scale()) <= wanted)
    return round_numeric(v, wanted, halt);
  Int128 digits = v.digits();
  for (auto scale = static_cast<std::int64_t>(v.scale()); scale > wanted;
       --scale)
    digits /= 10;
  return Value::numeric(digits, static_cast<unsigned>(wanted));
}

Value power(const Value& a, const Value& b, Halt& halt) {
  const double x = a.real();
  const double y = b.real();
  if (x == 0 && y < 0)
    return halt.raise("2201F", "zero raised to a negative power is undefined");
  if (x < 0 && y != std::floor(y))
    return halt.raise("2201F",
                      "a negative number raised to a non-integer power yields "
                      "a complex result");
  return checked_real(std::pow(x, y), false,
                      std::isfinite(x) && std::isfinite(y), x == 0, halt);
}

Value sign(const Value& v) {
  if (v.kind() == Kind::Float)
    return Value::real(v.real() > 0 ? 1 : v.real() < 0 ? -1 : 0);
  const Int128 digits = v.digits();
  return Value::numeric(digits > 0 ? 1 : digits < 0 ? -1 : 0, 0);
}

Value divided(const Value& a, const Value& b, Halt& halt) {
  if (b.digits() == 0) return halt.raise("22012", "division by zero");
  const Value rest = modulo_numeric(a, b, halt);
  if (halt.is_set()) return {};
  const Value whole = subtract_numeric(a, rest, halt);
  if (halt.is_set()) return {};
  return round_numeric(divide_numeric(whole, b, halt), 0, halt);
}

/// Of integers; Lcm may be too large for its type.
Value common(const Expr& e, std::span<const Value> args, Halt& halt) {
  Int128 a = args[0].integer();
  Int128 b = args[1].integer();
  const Int128 product = a * b;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  Int128 result = a < 0 ? -a : a;
  if (static_cast<Builtin>(e.index) == Builtin::Lcm) {
    result = a == 0 ? 0 : product / a;
    if (result < 0) result = -result;
  }
  const bool is_long = e.type.name == TypeName::BigInt;
  const Int128 most = is_long ? std::numeric_limits<std::int64_t>::max()
                              : std::numeric_limits<std::int32_t>::max();
  if (result > most)
    return halt.raise("22003", to_string(e.type) + " out of range");
  return Value::integer(static_cast<std::int64_t>(result));
}

/// Functions of one or two numbers of double precision.
Value mathematical(Builtin function, std::span<const Value> args, Halt& halt) {
  const double x = args[0].real();
  switch (function) {
    case Builtin::Log10:
      if (x <= 0)
        return halt.raise("2201E", x == 0
                                       ? "cannot take logarithm of zero"
                                       : "cannot take logarithm of a negative "
                                         "number");
      return Value::real(std::log10(x));
    case Builtin::Cbrt: return Value::real(std::cbrt(x));
    case Builtin::Asin:
    case Builtin::Acos:
      if (x < -1 || x > 1) return halt.raise("22003", "input is out of range");
      return Value::real(function == Builtin::Asin ? std::asin(x)
                                                   : std::acos(x));
    case Builtin::Atan: return Value::real(std::atan(x));
    case Builtin::Atan2: return Value::real(std::atan2(x, args[1].real()));
    case Builtin::Degrees: return Value::real(x / kRadiansPerDegree);
    case Builtin::Radians: return Value::real(x * kRadiansPerDegree);
    default: break;
  }
  if (std::isinf(x)) return halt.raise("22003", "input is out of range");
  return Value::real(function == Builtin::Sin   ? std::sin(x)
                     : function == Builtin::Cos ? std::cos(x)
                                                : std::tan(x));
}

/// The processor's own operations, in the width of the type.
Value bits(const Expr& e, std::span<const Value> args) {
  const std::int64_t a = args[0].integer();
  const std::int64_t b = args.size() > 1 ? args[1].integer() : 0;
  const bool is_long = e.type.name == TypeName::BigInt;
  const auto count = static_cast<unsigned>(b & (is_long ? 63 : 31));
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::BitAnd: return Value::integer(a & b);
    case Builtin::BitOr: return Value::integer(a | b);
    case Builtin::BitXor: return Value::integer(a ^ b);
    case Builtin::BitNot: return Value::integer(~a);
    case Builtin::ShiftRight: return Value::integer(a >> count);
    default: break;
  }
  const auto shifted =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  if (is_long) return Value::integer(shifted);
  if (e.type.name == TypeName::SmallInt)
    return Value::integer(static_cast<std::int16_t>(shifted));
  return Value::integer(static_cast<std::int32_t>(shifted));
}

}  // namespace

Value call_number(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::Trunc: return truncated(args, halt);
    case Builtin::Power: return power(args[0], args[1], halt);
    case Builtin::Sqrt:
      if (args[0].real() < 0)
        return halt.raise("2201F",
                          "cannot take square root of a negative number");
      return Value::real(std::sqrt(args[0].real()));
    case Builtin::Sign: return sign(args[0]);
    case Builtin::Exp:
      return checked_real(std::exp(args[0].real()), false,
                          std::isfinite(args[0].real()), false, halt);
    case Builtin::Ln:
      if (args[0].real() <= 0)
        return halt.raise("2201E", args[0].real() == 0
                                       ? "cannot take logarithm of zero"
                                       : "cannot take logarithm of a negative "
                                         "number");
      return Value::real(std::log(args[0].real()));
    case Builtin::BitAnd:
    case Builtin::BitOr:
    case Builtin::BitXor:
    case Builtin::ShiftLeft:
    case Builtin::ShiftRight:
    case Builtin::BitNot: return bits(e, args);
    case Builtin::Gcd:
    case Builtin::Lcm: return common(e, args, halt);
    case Builtin::Div: return divided(args[0], args[1], halt);
    default: return mathematical(static_cast<Builtin>(e.index), args, halt);
  }
}

}  // namespace txscope::sql
