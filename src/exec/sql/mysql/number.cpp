#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exec/sql/mysql/call.h"
#include "exec/sql/mysql/convert.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"

namespace txscope::sql::mysql {
namespace {

constexpr Int128 kMostUnsigned = (Int128{1} << 64) - 1;

Value out_of_range(const Type& type, Halt& halt) {
  return halt.raise("1690", spelled(type) + " value is out of range");
}

Value big(std::uint64_t bits) {
  return Value::numeric(static_cast<Int128>(bits), 0);
}

Value by_zero(bool fails, Halt& halt) {
  return fails ? halt.raise("1365", "Division by 0") : Value();
}

/// An integer of the type, else error 1690.
Value fit(Int128 number, const Type& type, Halt& halt) {
  const Range range = range_of(type);
  if (number < range.low || number > range.high)
    return out_of_range(type, halt);
  return is_big(type) ? Value::numeric(number, 0)
                      : Value::integer(static_cast<std::int64_t>(number));
}

Value finite(double number, Halt& halt) {
  if (!std::isfinite(number)) return out_of_range(kDouble, halt);
  return Value::real(number);
}

Int128 ten_to_the(unsigned exponent) {
  Int128 power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// Cut off behind so many decimals.
Value truncated(const Value& v, unsigned scale) {
  if (v.scale() <= scale) return v;
  return Value::numeric(v.digits() / ten_to_the(v.scale() - scale), scale);
}

// The server keeps decimals in groups of nine: so many are computed, of which
// the type shows the first ones.
Value divided(const Expr& e, const Value& a, const Value& b, Halt& halt) {
  if (sort_of(e.type) == Sort::Real) {
    const double by = real_of(b);
    if (by == 0)
      return by_zero(
          e.index == static_cast<std::uint32_t>(Function::DivideOrFail), halt);
    return finite(real_of(a) / by, halt);
  }
  const Value x = exact_of(a, halt);
  const Value y = exact_of(b, halt);
  if (y.digits() == 0)
    return by_zero(
        e.index == static_cast<std::uint32_t>(Function::DivideOrFail), halt);
  const unsigned scale =
      std::min((e.type.scale + y.scale() + 8) / 9 * 9 > e.type.scale
                   ? (e.type.scale + 8u) / 9 * 9
                   : e.type.scale,
               36u);
  // digits(x) / 10^sx / (digits(y) / 10^sy) * 10^scale
  const int shift =
      static_cast<int>(scale + y.scale()) - static_cast<int>(x.scale());
  Int128 top = x.digits();
  Int128 bottom = y.digits();
  const Int128 factor = ten_to_the(static_cast<unsigned>(std::abs(shift)));
  Int128 scaled = 0;
  if (__builtin_mul_overflow(shift < 0 ? bottom : top, factor, &scaled))
    return halt.raise_ours("a quotient of more than 38 digits");
  (shift < 0 ? bottom : top) = scaled;
  return Value::numeric(top / bottom, scale);
}

Value whole_quotient(const Expr& e, const Value& a, const Value& b,
                     Halt& halt) {
  const bool fails =
      e.index == static_cast<std::uint32_t>(Function::IntDivideOrFail);
  const Value x = exact_of(a, halt);
  const Value y = exact_of(b, halt);
  if (halt.is_set()) return {};
  if (y.digits() == 0) return by_zero(fails, halt);
  Int128 top = x.digits();
  Int128 bottom = y.digits();
  Int128& smaller = x.scale() < y.scale() ? top : bottom;
  const unsigned more =
      x.scale() < y.scale() ? y.scale() - x.scale() : x.scale() - y.scale();
  if (__builtin_mul_overflow(smaller, ten_to_the(more), &smaller))
    return halt.raise_ours("a quotient of more than 38 digits");
  return fit(top / bottom, e.type, halt);
}

Value rest(const Expr& e, const Value& a, const Value& b, Halt& halt) {
  const bool fails =
      e.index == static_cast<std::uint32_t>(Function::ModuloOrFail);
  if (sort_of(e.type) == Sort::Real) {
    const double by = real_of(b);
    if (by == 0) return by_zero(fails, halt);
    return finite(std::fmod(real_of(a), by), halt);
  }
  const Value x = exact_of(a, halt);
  const Value y = exact_of(b, halt);
  if (halt.is_set()) return {};
  if (y.digits() == 0) return by_zero(fails, halt);
  const Value result = modulo_numeric(x, y, halt);
  if (halt.is_set() || sort_of(e.type) != Sort::Integer) return result;
  return fit(result.digits(), e.type, halt);
}

Value rounded_real(double number, std::int64_t digits, bool is_cut) {
  const double power = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double scaled = digits < 0 ? number / power : number * power;
  if (!std::isfinite(scaled)) return Value::real(number);
  const double whole = is_cut ? std::trunc(scaled) : std::rint(scaled);
  return Value::real(digits < 0 ? whole * power : whole / power);
}

Value rounded(const Expr& e, std::span<const Value> args, bool is_cut,
              Halt& halt) {
  const Value& v = args[0];
  std::int64_t digits = args.size() > 1 ? args[1].integer() : 0;
  if (v.kind() == Kind::Float) return rounded_real(v.real(), digits, is_cut);
  const bool is_integer = sort_of(e.args[0].type) == Sort::Integer;
  if (is_integer && digits >= 0) return v;
  digits = std::clamp<std::int64_t>(digits, -40, 38);
  if (digits < -36) return fit(0, e.type, halt);
  const Value x = exact_of(v, halt);
  Value result;
  if (!is_cut) {
    result = round_numeric(x, digits, halt);
  } else if (digits >= 0) {
    result = truncated(x, static_cast<unsigned>(digits));
  } else {
    const Int128 power = ten_to_the(static_cast<unsigned>(-digits));
    result = Value::numeric(truncated(x, 0).digits() / power * power, 0);
  }
  if (halt.is_set()) return {};
  if (is_integer) return fit(result.digits(), e.type, halt);
  return convert(result, decimal_type(0, e.type.scale), Conversion::Cast, halt);
}

Value floored(const Expr& e, const Value& v, bool is_up, Halt& halt) {
  if (v.kind() == Kind::Float)
    return Value::real(is_up ? std::ceil(v.real()) : std::floor(v.real()));
  if (v.kind() != Kind::Numeric || v.scale() == 0) {
    if (sort_of(e.type) == Sort::Integer)
      return fit(exact_of(v, halt).digits(), e.type, halt);
    return v;
  }
  const Value whole = is_up ? ceil_numeric(v) : floor_numeric(v);
  return sort_of(e.type) == Sort::Integer
             ? fit(exact_of(whole, halt).digits(), e.type, halt)
             : whole;
}

Value bitwise(Function function, std::span<const Value> args, Halt& halt) {
  const bool is_shift =
      function == Function::ShiftLeft || function == Function::ShiftRight;
  const std::uint64_t a = bits_of(args[0], halt);
  const std::uint64_t b = args.size() < 2 ? 0
                          : is_shift      ? places_of(args[1], halt)
                                          : bits_of(args[1], halt);
  switch (function) {
    case Function::BitAnd: return big(a & b);
    case Function::BitOr: return big(a | b);
    case Function::BitXor: return big(a ^ b);
    // Of how many places the server looks at 32 bits.
    case Function::ShiftLeft:
      return big((b & 0xffffffff) > 63 ? 0 : a << (b & 63));
    case Function::ShiftRight:
      return big((b & 0xffffffff) > 63 ? 0 : a >> (b & 63));
    case Function::BitCount: return Value::integer(std::popcount(a));
    default: return big(~a);
  }
}

Value real_function(Function function, std::span<const Value> args,
                    Halt& halt) {
  const double x = args[0].real();
  switch (function) {
    case Function::Power: return finite(std::pow(x, args[1].real()), halt);
    case Function::Sqrt: return x < 0 ? Value() : Value::real(std::sqrt(x));
    case Function::Exp: return finite(std::exp(x), halt);
    case Function::Ln: return x <= 0 ? Value() : Value::real(std::log(x));
    case Function::Log2: return x <= 0 ? Value() : Value::real(std::log2(x));
    default: return x <= 0 ? Value() : Value::real(std::log10(x));
  }
}

Value extreme(const Expr& e, std::span<const Value> args, bool is_most) {
  Value best = args[0];
  for (const Value& v : args) {
    const int order = v.kind() == Kind::Text
                          ? compare_texts(v.text(), best.text(), e.type.of)
                          : sql::compare(v, best);
    if (is_most ? order > 0 : order < 0) best = v;
  }
  return best;
}

}  // namespace

Value number_call(const Expr& e, std::span<const Value> args, Halt& halt) {
  if (std::any_of(args.begin(), args.end(),
                  [](const Value& v) { return v.is_null(); })) {
    return {};
  }
  const auto function = static_cast<Function>(e.index);
  switch (function) {
    case Function::FitBig: {
      const Int128 number = exact_of(args[0], halt).digits();
      if (number < 0 || number > kMostUnsigned)
        return out_of_range(e.type, halt);
      return Value::numeric(number, 0);
    }
    case Function::Divide:
    case Function::DivideOrFail: return divided(e, args[0], args[1], halt);
    case Function::IntDivide:
    case Function::IntDivideOrFail:
      return whole_quotient(e, args[0], args[1], halt);
    case Function::Modulo:
    case Function::ModuloOrFail: return rest(e, args[0], args[1], halt);
    case Function::Round: return rounded(e, args, false, halt);
    case Function::Truncate: return rounded(e, args, true, halt);
    case Function::Floor: return floored(e, args[0], false, halt);
    case Function::Ceil: return floored(e, args[0], true, halt);
    case Function::Abs: {
      const Value& v = args[0];
      if (v.kind() == Kind::Float) return Value::real(std::fabs(v.real()));
      const Value x = exact_of(v, halt);
      if (x.digits() >= 0) return v;
      if (sort_of(e.type) == Sort::Integer)
        return fit(-x.digits(), e.type, halt);
      return negate_numeric(x);
    }
    case Function::Sign: {
      const double x = real_of(args[0]);
      return Value::integer(x < 0 ? -1 : x > 0 ? 1 : 0);
    }
    case Function::Greatest: return extreme(e, args, true);
    case Function::Least: return extreme(e, args, false);
    case Function::Power:
    case Function::Sqrt:
    case Function::Exp:
    case Function::Ln:
    case Function::Log2:
    case Function::Log10: return real_function(function, args, halt);
    default: return bitwise(function, args, halt);
  }
}

}  // namespace txscope::sql::mysql
