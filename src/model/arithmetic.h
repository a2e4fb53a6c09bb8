#pragma once

#include <cstdint>
#include <string_view>

namespace txscope {

/// The operators of program expressions.  Values are 64-bit signed integers;
/// truth values are 0 and 1.
enum class Operator : std::uint8_t {
  // leaves
  Constant,  ///< Expr::constant
  Local,     ///< local number Expr::ref of the transaction
  FinalRow,  ///< final value of a row of table Expr::ref, key Expr::arg[0]
  LocalOf,   ///< Program::local_refs[Expr::ref], a finished transaction's local
  Arbitrary,  ///< `?`
  // unary
  Negate,
  Not,
  Complement,
  Abs,
  // binary
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  BitAnd,
  BitXor,
  BitOr,
  Min,
  Max,
  // evaluated only as far as needed
  And,
  Or,
  Conditional,
};

/// What can go wrong while a program runs.
enum class Fault : std::uint8_t {
  None,
  Overflow,
  DivisionByZero,
  ShiftRange,
  IndexRange,
  Unassigned,
};

/// "integer overflow", "division by zero", ...
[[nodiscard]] std::string_view describe(Fault fault);

/// The value of a strict unary or binary operator, or the fault.  A left shift
/// drops the bits that leave the word; only its distance can be wrong.
struct Computed {
  std::int64_t value = 0;
  Fault fault = Fault::None;
};

[[nodiscard]] inline Computed compute(Operator op, std::int64_t a,
                                      std::int64_t b = 0) {
  Computed out;
  const auto overflow_if = [&out](bool overflows) {
    if (overflows) out.fault = Fault::Overflow;
  };
  const auto u = static_cast<std::uint64_t>(a);
  switch (op) {
    case Operator::Negate:
      overflow_if(__builtin_sub_overflow(std::int64_t{0}, a, &out.value));
      break;
    case Operator::Not: out.value = a == 0; break;
    case Operator::Complement: out.value = ~a; break;
    case Operator::Abs:
      if (a >= 0) return {a, Fault::None};
      overflow_if(__builtin_sub_overflow(std::int64_t{0}, a, &out.value));
      break;
    case Operator::Multiply:
      overflow_if(__builtin_mul_overflow(a, b, &out.value));
      break;
    case Operator::Divide:
    case Operator::Remainder:
      if (b == 0) return {0, Fault::DivisionByZero};
      if (a == INT64_MIN && b == -1) return {0, Fault::Overflow};
      out.value = op == Operator::Divide ? a / b : a % b;
      break;
    case Operator::Add:
      overflow_if(__builtin_add_overflow(a, b, &out.value));
      break;
    case Operator::Subtract:
      overflow_if(__builtin_sub_overflow(a, b, &out.value));
      break;
    case Operator::ShiftLeft:
      if (b < 0 || b > 63) return {0, Fault::ShiftRange};
      out.value = static_cast<std::int64_t>(u << b);
      break;
    case Operator::ShiftRight:
      if (b < 0 || b > 63) return {0, Fault::ShiftRange};
      out.value = a >> b;
      break;
    case Operator::Less: out.value = a < b; break;
    case Operator::LessEqual: out.value = a <= b; break;
    case Operator::Greater: out.value = a > b; break;
    case Operator::GreaterEqual: out.value = a >= b; break;
    case Operator::Equal: out.value = a == b; break;
    case Operator::NotEqual: out.value = a != b; break;
    case Operator::BitAnd: out.value = a & b; break;
    case Operator::BitXor: out.value = a ^ b; break;
    case Operator::BitOr: out.value = a | b; break;
    case Operator::Min: out.value = a < b ? a : b; break;
    case Operator::Max: out.value = a < b ? b : a; break;
    case Operator::Constant:
    case Operator::Local:
    case Operator::FinalRow:
    case Operator::LocalOf:
    case Operator::Arbitrary:
    case Operator::And:
    case Operator::Or:
    case Operator::Conditional: break;  // not strict; never asked
  }
  return out;
}

}  // namespace txscope
