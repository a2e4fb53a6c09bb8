#include "smt/lowering.h"

#include <cassert>

namespace txscope::smt {

z3::expr Lowering::lower(Term root) {
  if (made_.size() < terms_.size()) made_.resize(terms_.size());
  std::vector<Term> stack = {root};
  while (!stack.empty()) {
    const Term t = stack.back();
    if (made_[t.index]) {
      stack.pop_back();
      continue;
    }
    bool is_ready = true;
    for (const Term operand : terms_.operands(t)) {
      if (made_[operand.index]) continue;
      stack.push_back(operand);
      is_ready = false;
    }
    if (!is_ready) continue;
    made_[t.index].emplace(make(t));
    stack.pop_back();
  }
  return *made_[root.index];
}

z3::expr Lowering::make(Term t) {
  const auto args = terms_.operands(t);
  const auto at = [&](std::size_t i) -> const z3::expr& {
    return *made_[args[i].index];
  };
  switch (terms_.op(t)) {
    case Op::Boolean: return context_.bool_val(terms_.is_true(t));
    case Op::Integer: return number(*terms_.value(t));
    case Op::Variable: return variable(t);
    case Op::Not: return !at(0);
    case Op::And:
    case Op::Or: {
      z3::expr_vector parts(context_);
      for (std::size_t i = 0; i < args.size(); ++i) parts.push_back(at(i));
      return terms_.op(t) == Op::And ? z3::mk_and(parts) : z3::mk_or(parts);
    }
    case Op::Ite: return z3::ite(at(0), at(1), at(2));
    case Op::Equal: return at(0) == at(1);
    case Op::Less: return at(0) < at(1);  // signed, on bit vectors too
    case Op::LessEqual: return at(0) <= at(1);
    case Op::Negate: return -at(0);
    default: return arithmetic(terms_.op(t), at(0), at(1));
  }
}

z3::expr Lowering::arithmetic(Op op, const z3::expr& a, const z3::expr& b) {
  return is_bits() ? on_bits(op, a, b) : on_integers(op, a, b);
}

/// Z3's div and mod have a remainder that is never negative; for a dividend
/// that is not negative they round as we do.
z3::expr Lowering::on_integers(Op op, const z3::expr& a, const z3::expr& b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Multiply: return a * b;
    case Op::Divide: return z3::ite(a >= 0, a / b, -((-a) / b));
    case Op::Remainder: return z3::ite(a >= 0, z3::mod(a, b), -z3::mod(-a, b));
    case Op::AddOverflows: return outside(a + b);
    case Op::MultiplyOverflows: return outside(a * b);
    default: break;
  }
  assert(false && "bit operators need Arithmetic::BitVectors");
  return a;
}

z3::expr Lowering::on_bits(Op op, const z3::expr& a, const z3::expr& b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Multiply: return a * b;
    case Op::Divide: return a / b;  // signed, towards zero
    case Op::Remainder: return z3::srem(a, b);
    case Op::BitAnd: return a & b;
    case Op::BitOr: return a | b;
    case Op::BitXor: return a ^ b;
    case Op::ShiftLeft: return z3::shl(a, b);
    case Op::ShiftRight: return z3::ashr(a, b);
    case Op::AddOverflows:
      return !(z3::bvadd_no_overflow(a, b, true) &&
               z3::bvadd_no_underflow(a, b));
    case Op::MultiplyOverflows:
      return !(z3::bvmul_no_overflow(a, b, true) &&
               z3::bvmul_no_underflow(a, b));
    default: break;
  }
  assert(false && "no arithmetic operator");
  return a;
}

z3::expr Lowering::number(std::int64_t value) {
  return is_bits() ? context_.bv_val(value, 64) : context_.int_val(value);
}

z3::expr Lowering::outside(const z3::expr& value) {
  return value < number(INT64_MIN) || value > number(INT64_MAX);
}

z3::expr Lowering::variable(Term t) {
  variables_.push_back(t);
  const std::string name =
      terms_.name(t) + "!" + std::to_string(variables_.size());
  if (terms_.sort(t) == Sort::Bool) return context_.bool_const(name.c_str());
  return is_bits() ? context_.bv_const(name.c_str(), 64)
                   : context_.int_const(name.c_str());
}

void Lowering::add_bounds(Term variable, z3::solver& solver) {
  const Bounds bounds = terms_.bounds(variable);
  if (bounds.low < INT64_MIN || bounds.high > INT64_MAX) return;  // none
  const z3::expr& v = *made_[variable.index];
  if (!is_bits() || bounds.low > INT64_MIN) {
    solver.add(v >= number(static_cast<std::int64_t>(bounds.low)));
  }
  if (!is_bits() || bounds.high < INT64_MAX) {
    solver.add(v <= number(static_cast<std::int64_t>(bounds.high)));
  }
}

std::optional<std::int64_t> Lowering::value(Term variable,
                                            const z3::model& model) {
  const z3::expr value = model.eval(*made_[variable.index], false);
  if (terms_.sort(variable) == Sort::Bool) {
    if (value.is_true()) return 1;
    if (value.is_false()) return 0;
    return std::nullopt;
  }
  std::int64_t whole = 0;
  if (value.is_numeral_i64(whole)) return whole;
  std::uint64_t bits = 0;
  if (value.is_numeral_u64(bits)) return static_cast<std::int64_t>(bits);
  return std::nullopt;
}

}  // namespace txscope::smt
