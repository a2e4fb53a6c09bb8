#include "smt/substitution.h"

#include <vector>

namespace txscope::smt {

/// Operands precede their operators, so a stack suffices.
Term Substitution::operator()(Term root) {
  std::vector<Term> stack = {root};
  while (!stack.empty()) {
    const Term t = stack.back();
    if (known_.contains(t.index)) {
      stack.pop_back();
      continue;
    }
    bool is_ready = true;
    for (const Term operand : terms_->operands(t)) {
      if (known_.contains(operand.index)) continue;
      stack.push_back(operand);
      is_ready = false;
    }
    if (!is_ready) continue;
    known_.emplace(t.index, rebuilt(t));
    stack.pop_back();
  }
  return known_.at(root.index);
}

Term Substitution::rebuilt(Term term) {
  Terms& t = *terms_;
  std::vector<Term> a;
  bool is_same = true;
  for (const Term operand : t.operands(term)) {
    a.push_back(known_.at(operand.index));
    is_same &= a.back() == operand;
  }
  if (is_same) return term;
  const Op op = t.op(term);
  switch (op) {
    case Op::Boolean:
    case Op::Integer:
    case Op::Variable: break;
    case Op::Not: return t.negation(a[0]);
    case Op::And: return t.all_of(a);
    case Op::Or: return t.any_of(a);
    case Op::Equal: return t.equal(a[0], a[1]);
    case Op::Less: return t.less(a[0], a[1]);
    case Op::LessEqual: return t.less_equal(a[0], a[1]);
    case Op::Ite: return t.choose(a[0], a[1], a[2]);
    case Op::Add: return t.add(a[0], a[1]);
    case Op::Multiply: return t.multiply(a[0], a[1]);
    case Op::Negate: return t.negate(a[0]);
    case Op::Divide: return t.divide(a[0], a[1]);
    case Op::Remainder: return t.remainder(a[0], a[1]);
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
    case Op::ShiftLeft:
    case Op::ShiftRight: return t.bits(op, a[0], a[1]);
    case Op::AddOverflows: return t.add_overflows(a[0], a[1]);
    case Op::MultiplyOverflows: return t.multiply_overflows(a[0], a[1]);
  }
  return term;
}

}  // namespace txscope::smt
