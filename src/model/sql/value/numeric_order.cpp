#include "model/sql/value/numeric_order.h"

namespace txscope::sql {
namespace {

Int128 whole_digits(const Value& v) {
  return v.kind() == Kind::Integer ? v.integer() : v.digits();
}
unsigned whole_scale(const Value& v) {
  return v.kind() == Kind::Integer ? 0 : v.scale();
}

/// digits * 10^power; false: it does not fit.
bool widen(Int128& digits, unsigned power) {
  for (; power > 0 && digits != 0; --power)
    if (__builtin_mul_overflow(digits, Int128{10}, &digits)) return false;
  return true;
}

}  // namespace

int compare_numeric(const Value& a, const Value& b) {
  Int128 x = whole_digits(a);
  Int128 y = whole_digits(b);
  const unsigned scale_x = whole_scale(a);
  const unsigned scale_y = whole_scale(b);
  const int sign_x = x < 0 ? -1 : x > 0 ? 1 : 0;
  const int sign_y = y < 0 ? -1 : y > 0 ? 1 : 0;
  if (sign_x != sign_y) return sign_x - sign_y;
  // What overflows when it gets the other's scale is the larger one.
  if (scale_x < scale_y && !widen(x, scale_y - scale_x)) return sign_x;
  if (scale_y < scale_x && !widen(y, scale_x - scale_y)) return -sign_y;
  return x < y ? -1 : x > y ? 1 : 0;
}

Value strip_zeros(const Value& a) {
  Int128 digits = a.digits();
  unsigned scale = a.scale();
  if (digits == 0) return Value::numeric(0, 0);
  for (; scale > 0 && digits % 10 == 0; --scale) digits /= 10;
  return Value::numeric(digits, scale);
}

}  // namespace txscope::sql
