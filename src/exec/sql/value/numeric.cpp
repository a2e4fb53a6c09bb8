#include "exec/sql/value/numeric.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <string>

namespace txscope::sql {
namespace {

__extension__ typedef unsigned __int128 UInt128;

/// The most decimals that a power of ten within 128 bits can express.
constexpr unsigned kMaxPower = 38;
constexpr Int128 kMax = static_cast<Int128>(~static_cast<UInt128>(0) >> 1);

constexpr auto kPowers = [] {
  std::array<Int128, kMaxPower + 1> powers{};
  powers[0] = 1;
  for (unsigned i = 1; i <= kMaxPower; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

struct Decimal {
  Int128 digits = 0;
  unsigned scale = 0;
};

Decimal decimal(const Value& v) {
  if (v.kind() == Kind::Integer) return {v.integer(), 0};
  return {v.digits(), v.scale()};
}

Value too_long(Halt& halt) {
  return halt.raise_ours("a number with more than 38 digits");
}

/// digits * 10^power; false: it does not fit.
bool shift(Int128& digits, unsigned power) {
  if (digits == 0) return true;
  if (power > kMaxPower) return false;
  return !__builtin_mul_overflow(digits, kPowers[power], &digits);
}

/// Both with the larger scale of the two; false: they do not fit.
bool align(Decimal& a, Decimal& b) {
  const unsigned scale = std::max(a.scale, b.scale);
  if (!shift(a.digits, scale - a.scale) || !shift(b.digits, scale - b.scale))
    return false;
  a.scale = b.scale = scale;
  return true;
}

/// digits / 10^power, halves away from zero.
Int128 divide_by_power(Int128 digits, unsigned power) {
  if (power == 0) return digits;
  if (power > kMaxPower) return 0;  // below half of 10^39
  const Int128 divisor = kPowers[power];
  const Int128 quotient = digits / divisor;
  const Int128 rest = digits % divisor;
  const Int128 magnitude = rest < 0 ? -rest : rest;
  if (magnitude < divisor - magnitude) return quotient;
  return quotient + (digits < 0 ? -1 : 1);
}

unsigned length(UInt128 digits) {
  unsigned n = 0;
  for (; digits != 0; digits /= 10) ++n;
  return n;
}

UInt128 magnitude_of(Int128 digits) {
  return digits < 0 ? -static_cast<UInt128>(digits)
                    : static_cast<UInt128>(digits);
}

/// PostgreSQL keeps groups of four digits around the point: the exponent of
/// the first group that is not zero, and that group.
struct Leading {
  int weight = 0;
  int group = 0;
};

Leading leading(const Decimal& d) {
  if (d.digits == 0) return {};
  const UInt128 magnitude = magnitude_of(d.digits);
  const int exponent =
      static_cast<int>(length(magnitude)) - 1 - static_cast<int>(d.scale);
  const int weight = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
  // The group is floor(magnitude / 10^scale / 10^(4 weight)).
  const int cut = static_cast<int>(d.scale) + 4 * weight;
  const UInt128 group =
      cut >= 0 ? magnitude /
                     static_cast<UInt128>(kPowers[static_cast<unsigned>(cut)])
               : magnitude *
                     static_cast<UInt128>(kPowers[static_cast<unsigned>(-cut)]);
  return {weight, static_cast<int>(group)};
}

/// select_div_scale() of numeric.c.
unsigned quotient_scale(const Decimal& a, const Decimal& b) {
  const Leading first = leading(a);
  const Leading second = leading(b);
  int weight = first.weight - second.weight;
  if (first.group <= second.group) --weight;
  int scale = 16 - weight * 4;
  scale = std::max(
      {scale, static_cast<int>(a.scale), static_cast<int>(b.scale), 0});
  return static_cast<unsigned>(std::min(scale, 1000));
}

Value division_by_zero(Halt& halt) {
  return halt.raise("22012", "division by zero");
}

Value whole(const Value& a, int direction) {
  const Decimal d = decimal(a);
  if (d.scale == 0) return Value::numeric(d.digits, 0);
  if (d.scale > kMaxPower)
    return Value::numeric(
        d.digits != 0 && (d.digits < 0) == (direction < 0) ? direction : 0, 0);
  Int128 quotient = d.digits / kPowers[d.scale];
  const Int128 rest = d.digits % kPowers[d.scale];
  if (rest != 0 && (rest < 0) == (direction < 0)) quotient += direction;
  return Value::numeric(quotient, 0);
}

}  // namespace

Value add_numeric(const Value& a, const Value& b, Halt& halt) {
  Decimal x = decimal(a);
  Decimal y = decimal(b);
  Int128 sum = 0;
  if (!align(x, y) || __builtin_add_overflow(x.digits, y.digits, &sum))
    return too_long(halt);
  return Value::numeric(sum, x.scale);
}

Value subtract_numeric(const Value& a, const Value& b, Halt& halt) {
  Decimal x = decimal(a);
  Decimal y = decimal(b);
  Int128 difference = 0;
  if (!align(x, y) || __builtin_sub_overflow(x.digits, y.digits, &difference))
    return too_long(halt);
  return Value::numeric(difference, x.scale);
}

Value multiply_numeric(const Value& a, const Value& b, Halt& halt) {
  const Decimal x = decimal(a);
  const Decimal y = decimal(b);
  Int128 product = 0;
  if (__builtin_mul_overflow(x.digits, y.digits, &product))
    return too_long(halt);
  return Value::numeric(product, x.scale + y.scale);
}

Value divide_numeric(const Value& a, const Value& b, Halt& halt) {
  const Decimal x = decimal(a);
  const Decimal y = decimal(b);
  if (y.digits == 0) return division_by_zero(halt);
  const unsigned scale = quotient_scale(x, y);
  // Long division, digit by digit: the rest times ten has to fit.
  const UInt128 divisor = magnitude_of(y.digits);
  if (divisor > ~static_cast<UInt128>(0) / 10) return too_long(halt);
  UInt128 quotient = magnitude_of(x.digits) / divisor;
  UInt128 rest = magnitude_of(x.digits) % divisor;
  assert(scale >= x.scale && "a quotient has no fewer decimals");
  for (unsigned i = scale + y.scale - x.scale; i > 0; --i) {
    rest *= 10;
    if (quotient > static_cast<UInt128>(kMax) / 10 - 1) return too_long(halt);
    quotient = quotient * 10 + rest / divisor;
    rest %= divisor;
  }
  if (rest >= divisor - rest) ++quotient;
  const bool is_negative = (x.digits < 0) != (y.digits < 0);
  const auto digits = static_cast<Int128>(quotient);
  return Value::numeric(is_negative ? -digits : digits, scale);
}

Value modulo_numeric(const Value& a, const Value& b, Halt& halt) {
  Decimal x = decimal(a);
  Decimal y = decimal(b);
  if (y.digits == 0) return division_by_zero(halt);
  if (!align(x, y)) return too_long(halt);
  if (y.digits == -1) return Value::numeric(0, x.scale);
  return Value::numeric(x.digits % y.digits, x.scale);
}

Value negate_numeric(const Value& a) {
  return Value::numeric(-a.digits(), a.scale());
}

Value round_numeric(const Value& a, std::int64_t scale, Halt& halt) {
  Decimal d = decimal(a);
  const std::int64_t cut = static_cast<std::int64_t>(d.scale) -
                           std::clamp<std::int64_t>(scale, -2000, 2000);
  if (cut <= 0) {
    if (scale > 2000 || !shift(d.digits, static_cast<unsigned>(-cut)))
      return too_long(halt);
    return Value::numeric(d.digits, static_cast<unsigned>(scale));
  }
  Int128 digits = divide_by_power(d.digits, static_cast<unsigned>(cut));
  if (scale >= 0) return Value::numeric(digits, static_cast<unsigned>(scale));
  if (digits != 0 && !shift(digits, static_cast<unsigned>(-scale)))
    return too_long(halt);
  return Value::numeric(digits, 0);
}

Value floor_numeric(const Value& a) { return whole(a, -1); }
Value ceil_numeric(const Value& a) { return whole(a, 1); }

Value fit_numeric(const Value& a, unsigned precision, unsigned scale,
                  Halt& halt) {
  Halt trial;
  const Value rounded = round_numeric(a, scale, trial);
  const bool fits =
      !trial.is_set() && length(magnitude_of(rounded.digits())) <= precision;
  if (fits) return rounded;
  if (trial.is_set() && precision > kMaxPower) return too_long(halt);
  return halt.raise("22003", "numeric field overflow");
}

}  // namespace txscope::sql
