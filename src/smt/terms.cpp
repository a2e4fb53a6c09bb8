#include "smt/terms.h"

#include <algorithm>
#include <cassert>

namespace txscope::smt {
namespace {

// Bounds saturate here, far outside of 64 bits and far inside of 128.
constexpr Wide kFar = Wide{1} << 100;

Wide clamp(Wide x) { return std::clamp<Wide>(x, -kFar, kFar); }

bool fits(Wide x) { return x >= INT64_MIN && x <= INT64_MAX; }
bool fits(Bounds b) { return fits(b.low) && fits(b.high); }
bool misses(Bounds b) { return b.low > INT64_MAX || b.high < INT64_MIN; }

Bounds sum(Bounds a, Bounds b) {
  return {clamp(a.low + b.low), clamp(a.high + b.high)};
}

bool is_small(Wide x) { return x > -(Wide{1} << 64) && x < (Wide{1} << 62); }

Bounds product(Bounds a, Bounds b) {
  if (!is_small(a.low) || !is_small(a.high) || !is_small(b.low) ||
      !is_small(b.high)) {
    return {-kFar, kFar};
  }
  const Wide corners[] = {clamp(a.low * b.low), clamp(a.low * b.high),
                          clamp(a.high * b.low), clamp(a.high * b.high)};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

Bounds hull(Bounds a, Bounds b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

}  // namespace

Terms::Terms() {
  nodes_.push_back({Op::Boolean, Sort::Bool, 0, 0, 0});
  nodes_.push_back({Op::Boolean, Sort::Bool, 0, 0, 1});
  bounds_.resize(2);
}

Term Terms::make(Op op, Sort sort, std::span<const Term> operands,
                 std::int64_t value, Bounds bounds) {
  std::uint64_t hash =
      mix(static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(value));
  for (const Term t : operands) hash = mix(hash, t.index);
  if (op != Op::Variable) {
    const auto [begin, end] = known_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      const Node& n = nodes_[it->second];
      const auto others = this->operands(Term(it->second));
      if (n.op == op && n.value == value &&
          std::ranges::equal(others, operands)) {
        return Term(it->second);
      }
    }
  }
  const Term made(nodes_.size());
  nodes_.push_back({op, sort, static_cast<std::uint32_t>(operands_.size()),
                    static_cast<std::uint32_t>(operands.size()), value});
  bounds_.push_back(bounds);
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  if (op != Op::Variable) known_.emplace(hash, made.index);
  return made;
}

Term Terms::integer(std::int64_t value) {
  return make(Op::Integer, Sort::Int, {}, value, {value, value});
}

Term Terms::unknown(std::string name) {
  names_.push_back(std::move(name));
  return make(Op::Variable, Sort::Bool, {},
              static_cast<std::int64_t>(names_.size() - 1), {});
}

Term Terms::unknown(std::string name, Bounds bounds) {
  assert(bounds.low <= bounds.high && "an unknown has a value");
  if (bounds.low == bounds.high) {
    return integer(static_cast<std::int64_t>(bounds.low));
  }
  const bool is_word = bounds.low == INT64_MIN && bounds.high == INT64_MAX;
  if (is_unbounded_ && is_word) bounds = {-kFar, kFar};
  names_.push_back(std::move(name));
  return make(Op::Variable, Sort::Int, {},
              static_cast<std::int64_t>(names_.size() - 1), bounds);
}

Term Terms::negation(Term a) {
  if (a.index < 2) return boolean(a.index == 0);
  if (op(a) == Op::Not) return operands(a)[0];
  if (op(a) == Op::Less) {
    const auto args = operands(a);
    return less_equal(args[1], args[0]);
  }
  if (op(a) == Op::LessEqual) {
    const auto args = operands(a);
    return less(args[1], args[0]);
  }
  return make(Op::Not, Sort::Bool, {a});
}

/// Flat, sorted and without repetitions; a and not a is false.
Term Terms::junction(Op op, std::span<const Term> parts) {
  const bool is_and = op == Op::And;
  const Term neutral = boolean(is_and);
  const Term absorbing = boolean(!is_and);
  std::vector<Term> flat;
  for (const Term part : parts) {
    if (part == neutral) continue;
    if (part == absorbing) return absorbing;
    if (this->op(part) == op) {
      const auto inner = operands(part);
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else {
      flat.push_back(part);
    }
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat[0];
  for (const Term part : flat) {
    if (this->op(part) == Op::Not &&
        std::binary_search(flat.begin(), flat.end(), operands(part)[0])) {
      return absorbing;
    }
  }
  return make(op, Sort::Bool, flat, 0, {});
}

Term Terms::all_of(std::span<const Term> parts) {
  return junction(Op::And, parts);
}
Term Terms::any_of(std::span<const Term> parts) {
  return junction(Op::Or, parts);
}

bool Terms::is_choice_of_constants(Term t) const {
  if (op(t) != Op::Ite) return false;
  const auto args = operands(t);
  return value(args[1]) && (value(args[2]) || is_choice_of_constants(args[2]));
}

Term Terms::equal(Term a, Term b) {
  assert(sort(a) == sort(b) && "one sort");
  if (a == b) return boolean(true);
  if (sort(a) == Sort::Bool) return choose(a, b, negation(b));
  if (a > b) std::swap(a, b);
  const auto x = value(a);
  const auto y = value(b);
  if (x && y) return boolean(*x == *y);
  const Bounds p = bounds(a);
  const Bounds q = bounds(b);
  if (p.high < q.low || q.high < p.low) return boolean(false);
  // (c ? 1 : 0) == 1 is c.
  const Term constant = x ? a : b;
  const Term chosen = x ? b : a;
  if ((x || y) && is_choice_of_constants(chosen)) {
    const std::array<Term, 3> args = {operands(chosen)[0], operands(chosen)[1],
                                      operands(chosen)[2]};
    return choose(args[0], equal(args[1], constant), equal(args[2], constant));
  }
  return make(Op::Equal, Sort::Bool, {a, b});
}

Term Terms::less(Term a, Term b) {
  if (a == b) return boolean(false);
  const Bounds p = bounds(a);
  const Bounds q = bounds(b);
  if (p.high < q.low) return boolean(true);
  if (p.low >= q.high) return boolean(false);
  return make(Op::Less, Sort::Bool, {a, b});
}

Term Terms::less_equal(Term a, Term b) {
  if (a == b) return boolean(true);
  const Bounds p = bounds(a);
  const Bounds q = bounds(b);
  if (p.high <= q.low) return boolean(true);
  if (p.low > q.high) return boolean(false);
  return make(Op::LessEqual, Sort::Bool, {a, b});
}

Term Terms::choose(Term condition, Term then, Term otherwise) {
  assert(sort(then) == sort(otherwise) && "one sort");
  if (is_true(condition) || then == otherwise) return then;
  if (is_false(condition)) return otherwise;
  if (op(condition) == Op::Not) {
    return choose(operands(condition)[0], otherwise, then);
  }
  if (sort(then) == Sort::Bool) {
    return any_of(
        {all_of({condition, then}), all_of({negation(condition), otherwise})});
  }
  return make(Op::Ite, Sort::Int, {condition, then, otherwise},
              hull(bounds(then), bounds(otherwise)));
}

Term Terms::add(Term a, Term b) {
  const Bounds both = sum(bounds(a), bounds(b));
  const auto x = value(a);
  const auto y = value(b);
  if (x && y && fits(both)) return integer(*x + *y);
  if (x == 0) return b;
  if (y == 0) return a;
  if (op(a) == Op::Negate && operands(a)[0] == b) return integer(0);
  if (op(b) == Op::Negate && operands(b)[0] == a) return integer(0);
  if (a > b) std::swap(a, b);
  return make(Op::Add, Sort::Int, {a, b}, both);
}

Term Terms::negate(Term a) {
  const auto x = value(a);
  if (x && *x != INT64_MIN) return integer(-*x);
  if (op(a) == Op::Negate) return operands(a)[0];
  const Bounds b = bounds(a);
  return make(Op::Negate, Sort::Int, {a}, {-b.high, -b.low});
}

Term Terms::multiply(Term a, Term b) {
  const auto x = value(a);
  const auto y = value(b);
  std::int64_t known = 0;
  if (x && y && !__builtin_mul_overflow(*x, *y, &known)) return integer(known);
  if (x == 0 || y == 0) return integer(0);
  if (x == 1) return b;
  if (y == 1) return a;
  if (!x && !y) is_nonlinear_ = true;
  if (a > b) std::swap(a, b);
  return make(Op::Multiply, Sort::Int, {a, b}, product(bounds(a), bounds(b)));
}

Term Terms::divide(Term a, Term b) {
  const auto x = value(a);
  const auto y = value(b);
  if (x && y && *y != 0 && !(*x == INT64_MIN && *y == -1)) {
    return integer(*x / *y);
  }
  if (y == 1) return a;
  if (!y) is_nonlinear_ = true;
  const Bounds p = bounds(a);
  const Wide most =
      std::max(p.low < 0 ? -p.low : p.low, p.high < 0 ? -p.high : p.high);
  return make(Op::Divide, Sort::Int, {a, b}, {-most, most});
}

Term Terms::remainder(Term a, Term b) {
  const auto x = value(a);
  const auto y = value(b);
  if (y == 1 || y == -1) return integer(0);
  if (x && y && *y != 0) return integer(*x % *y);
  if (!y) is_nonlinear_ = true;
  const Bounds p = bounds(a);
  const Bounds q = bounds(b);
  const Wide most =
      std::max(q.low < 0 ? -q.low : q.low, q.high < 0 ? -q.high : q.high);
  return make(Op::Remainder, Sort::Int, {a, b},
              {std::max(-most, std::min<Wide>(p.low, 0)),
               std::min(most, std::max<Wide>(p.high, 0))});
}

Term Terms::bits(Op op, Term a, Term b) {
  const auto x = value(a);
  const auto y = value(b);
  if (x && y) {
    switch (op) {
      case Op::BitAnd: return integer(*x & *y);
      case Op::BitOr: return integer(*x | *y);
      case Op::BitXor: return integer(*x ^ *y);
      case Op::ShiftLeft:
        return integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(*x)
                                                 << (*y & 63)));
      default: return integer(*x >> (*y & 63));
    }
  }
  needs_bits_ = true;
  return make(op, Sort::Int, {a, b});
}

Term Terms::add_overflows(Term a, Term b) {
  if (is_unbounded_) return boolean(false);
  const Bounds both = sum(bounds(a), bounds(b));
  if (fits(both)) return boolean(false);
  if (misses(both)) return boolean(true);
  if (a > b) std::swap(a, b);
  return make(Op::AddOverflows, Sort::Bool, {a, b});
}

/// -b does not overflow unless b is the least integer; then a - b fits iff a is
/// negative.
Term Terms::subtract_overflows(Term a, Term b) {
  if (is_unbounded_) return boolean(false);
  const Bounds q = bounds(b);
  if (q.low > INT64_MIN) return add_overflows(a, negate(b));
  if (value(b)) return less_equal(integer(0), a);
  const Bounds difference = sum(bounds(a), {-q.high, -q.low});
  if (fits(difference)) return boolean(false);
  const Term least = integer(INT64_MIN);
  return choose(equal(b, least), less_equal(integer(0), a),
                make(Op::AddOverflows, Sort::Bool,
                     {std::min(a, negate(b)), std::max(a, negate(b))}));
}

Term Terms::multiply_overflows(Term a, Term b) {
  if (is_unbounded_) return boolean(false);
  const Bounds both = product(bounds(a), bounds(b));
  if (fits(both)) return boolean(false);
  if (misses(both)) return boolean(true);
  if (a > b) std::swap(a, b);
  return make(Op::MultiplyOverflows, Sort::Bool, {a, b});
}

}  // namespace txscope::smt
