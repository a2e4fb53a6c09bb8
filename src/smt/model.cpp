#include "smt/model.h"

#include <algorithm>

namespace txscope::smt {
namespace {

Wide shifted(Op op, Wide a, Wide b) {
  const auto word = static_cast<std::int64_t>(a);
  const auto distance = static_cast<unsigned>(b) & 63;
  if (op == Op::ShiftRight) return word >> distance;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(word)
                                   << distance);
}

bool leaves_64_bits(Wide x) { return x < INT64_MIN || x > INT64_MAX; }

}  // namespace

std::int64_t Model::integer(Term t) const {
  return static_cast<std::int64_t>(evaluate(t));
}

/// Operands precede their operators, so a stack suffices.
Wide Model::evaluate(Term root) const {
  if (known_.size() < terms_->size()) {
    known_.resize(terms_->size());
    values_.resize(terms_->size());
  }
  std::vector<Term> stack = {root};
  while (!stack.empty()) {
    const Term t = stack.back();
    if (is_known(t)) {
      stack.pop_back();
      continue;
    }
    bool is_ready = true;
    for (const Term operand : terms_->operands(t)) {
      if (is_known(operand)) continue;
      stack.push_back(operand);
      is_ready = false;
    }
    if (!is_ready) continue;
    values_[t.index] = compute(t);
    known_[t.index] = true;
    stack.pop_back();
  }
  return values_[root.index];
}

Wide Model::compute(Term t) const {
  const auto args = terms_->operands(t);
  const auto at = [&](std::size_t i) { return values_[args[i].index]; };
  const auto is_true = [&](Term a) { return values_[a.index] != 0; };
  switch (terms_->op(t)) {
    case Op::Boolean:
    case Op::Integer: return *terms_->value(t);
    case Op::Variable: {
      const auto found = given_.find(t.index);
      if (found != given_.end()) return found->second;
      if (terms_->sort(t) == Sort::Bool) return 0;
      return std::clamp<Wide>(0, terms_->bounds(t).low, terms_->bounds(t).high);
    }
    case Op::Not: return at(0) == 0;
    case Op::And: return std::all_of(args.begin(), args.end(), is_true);
    case Op::Or: return std::any_of(args.begin(), args.end(), is_true);
    case Op::Equal: return at(0) == at(1);
    case Op::Less: return at(0) < at(1);
    case Op::LessEqual: return at(0) <= at(1);
    case Op::Ite: return at(0) != 0 ? at(1) : at(2);
    case Op::Add: return at(0) + at(1);
    case Op::Multiply: return at(0) * at(1);
    case Op::Negate: return -at(0);
    case Op::Divide: return at(1) == 0 ? 0 : at(0) / at(1);
    case Op::Remainder: return at(1) == 0 ? 0 : at(0) % at(1);
    case Op::BitAnd: return at(0) & at(1);
    case Op::BitOr: return at(0) | at(1);
    case Op::BitXor: return at(0) ^ at(1);
    case Op::ShiftLeft:
    case Op::ShiftRight: return shifted(terms_->op(t), at(0), at(1));
    case Op::AddOverflows: return leaves_64_bits(at(0) + at(1));
    case Op::MultiplyOverflows: return leaves_64_bits(at(0) * at(1));
  }
  return 0;
}

}  // namespace txscope::smt
