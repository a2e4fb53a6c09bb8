#include "exec/sql/value/real.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "model/sql/value/parse_value.h"

namespace txscope::sql {

double to_real(const Value& number) {
  if (number.kind() == Kind::Float) return number.real();
  if (number.kind() == Kind::Integer)
    return static_cast<double>(number.integer());
  return std::strtod(to_string(number).c_str(), nullptr);
}

Value checked_real(double result, bool is_single, bool was_finite,
                   bool was_zero, Halt& halt) {
  const Value value = Value::real(result, is_single);
  if (std::isinf(value.real()) && was_finite)
    return halt.raise("22003", "value out of range: overflow");
  if (value.real() == 0 && !was_zero)
    return halt.raise("22003", "value out of range: underflow");
  return value;
}

Value real_arithmetic(Op op, const Value& a, const Value& b, Halt& halt) {
  const double x = a.real();
  const double y = b.real();
  const bool is_single = a.scale() == 1 && b.scale() == 1;
  const bool was_finite = std::isfinite(x) && std::isfinite(y);
  switch (op) {
    case Op::Add: return checked_real(x + y, is_single, was_finite, true, halt);
    case Op::Subtract:
      return checked_real(x - y, is_single, was_finite, true, halt);
    case Op::Multiply:
      return checked_real(x * y, is_single, was_finite, x == 0 || y == 0, halt);
    case Op::Divide:
      if (y == 0 && !std::isnan(x))
        return halt.raise("22012", "division by zero");
      return checked_real(x / y, is_single, was_finite, x == 0 || std::isinf(y),
                          halt);
    default: return halt.raise_ours("this operator of double precision");
  }
}

Value numeric_of_real(const Value& number, Halt& halt) {
  const double x = number.real();
  if (!std::isfinite(x)) return halt.raise_ours("an infinite numeric");
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", number.scale() == 1 ? 6 : 15,
                x);
  const auto value = parse_value(text.data(), TypeName::Numeric);
  if (!value) return halt.raise_ours("a numeric of more than 38 digits");
  return *value;
}

}  // namespace txscope::sql
