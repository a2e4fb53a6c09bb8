#include "verify/symbolic_expr.h"

namespace txscope::verify {

using smt::Term;

smt::Term SymbolicExpressions::is_outside(TableId table, Term index) {
  const auto size = static_cast<std::int64_t>(program_.at(table).rows.size());
  return t_.any_of(
      {t_.less(index, t_.integer(0)), t_.less_equal(t_.integer(size), index)});
}

// Depth: Program::kMaxDepth.
SymbolicValue SymbolicExpressions::evaluate(ExprId id,
                                            const SymbolicNames& names) {
  const Expr& e = program_.at(id);
  switch (e.op) {
    case Operator::Constant: return {t_.integer(e.constant), t_.boolean(false)};
    case Operator::Local: return names.local(e.ref);
    case Operator::LocalOf: return names.local_of(e.ref);
    case Operator::FinalRow: {
      const TableId table(e.ref);
      if (e.arg[0] == kNone<ExprId>) {
        return {names.row(table, t_.integer(0)), t_.boolean(false)};
      }
      const SymbolicValue index = evaluate(e.arg[0], names);
      return {names.row(table, index.value),
              t_.any_of({index.fault, is_outside(table, index.value)})};
    }
    case Operator::And:
    case Operator::Or:
    case Operator::Conditional: return lazy(e, names);
    default: break;
  }
  const SymbolicValue a = evaluate(e.arg[0], names);
  SymbolicValue b = {t_.integer(0), t_.boolean(false)};
  if (e.arg[1] != kNone<ExprId>) b = evaluate(e.arg[1], names);
  SymbolicValue out = strict(e.op, a.value, b.value);
  out.fault = t_.any_of({a.fault, b.fault, out.fault});
  return out;
}

SymbolicValue SymbolicExpressions::lazy(const Expr& e,
                                        const SymbolicNames& names) {
  const SymbolicValue first = evaluate(e.arg[0], names);
  const Term holds = t_.as_truth(first.value);
  if (e.op == Operator::Conditional) {
    SymbolicValue yes = {t_.integer(0), t_.boolean(false)};
    SymbolicValue no = yes;
    if (!t_.is_false(holds)) yes = evaluate(e.arg[1], names);
    if (!t_.is_true(holds)) no = evaluate(e.arg[2], names);
    return {t_.choose(holds, yes.value, no.value),
            t_.any_of({first.fault, t_.choose(holds, yes.fault, no.fault)})};
  }
  const bool is_and = e.op == Operator::And;
  if (is_and ? t_.is_false(holds) : t_.is_true(holds)) {
    return {t_.integer(is_and ? 0 : 1), first.fault};
  }
  const SymbolicValue second = evaluate(e.arg[1], names);
  const Term other = t_.as_truth(second.value);
  const Term value =
      is_and ? t_.all_of({holds, other}) : t_.any_of({holds, other});
  const Term goes_on = is_and ? holds : t_.negation(holds);
  return {t_.as_integer(value),
          t_.any_of({first.fault, t_.all_of({goes_on, second.fault})})};
}

SymbolicValue SymbolicExpressions::strict(Operator op, Term a, Term b) {
  const Term never = t_.boolean(false);
  const auto truth = [&](Term formula) {
    return SymbolicValue{t_.as_integer(formula), never};
  };
  const Term zero = t_.integer(0);
  const Term is_least =
      t_.is_unbounded() ? never : t_.equal(a, t_.integer(INT64_MIN));
  switch (op) {
    case Operator::Negate: return {t_.negate(a), is_least};
    case Operator::Not: return truth(t_.equal(a, zero));
    case Operator::Complement:
      return {t_.add(t_.negate(a), t_.integer(-1)), never};
    case Operator::Abs:
      return {t_.choose(t_.less(a, zero), t_.negate(a), a), is_least};
    case Operator::Multiply:
      return {t_.multiply(a, b), t_.multiply_overflows(a, b)};
    case Operator::Divide:
    case Operator::Remainder: return divided(op, a, b);
    case Operator::Add: return {t_.add(a, b), t_.add_overflows(a, b)};
    case Operator::Subtract:
      return {t_.subtract(a, b), t_.subtract_overflows(a, b)};
    case Operator::ShiftLeft: return shifted(smt::Op::ShiftLeft, a, b);
    case Operator::ShiftRight: return shifted(smt::Op::ShiftRight, a, b);
    case Operator::Less: return truth(t_.less(a, b));
    case Operator::LessEqual: return truth(t_.less_equal(a, b));
    case Operator::Greater: return truth(t_.less(b, a));
    case Operator::GreaterEqual: return truth(t_.less_equal(b, a));
    case Operator::Equal: return truth(t_.equal(a, b));
    case Operator::NotEqual: return truth(t_.negation(t_.equal(a, b)));
    case Operator::BitAnd: return {t_.bits(smt::Op::BitAnd, a, b), never};
    case Operator::BitXor: return {t_.bits(smt::Op::BitXor, a, b), never};
    case Operator::BitOr: return {t_.bits(smt::Op::BitOr, a, b), never};
    case Operator::Min: return {t_.choose(t_.less(a, b), a, b), never};
    case Operator::Max: return {t_.choose(t_.less(a, b), b, a), never};
    case Operator::Constant:
    case Operator::Local:
    case Operator::FinalRow:
    case Operator::LocalOf:
    case Operator::Arbitrary:
    case Operator::And:
    case Operator::Or:
    case Operator::Conditional: break;  // not strict; never asked
  }
  return {zero, never};
}

SymbolicValue SymbolicExpressions::divided(Operator op, Term a, Term b) {
  const Term by_zero = t_.equal(b, t_.integer(0));
  if (t_.is_true(by_zero)) return {t_.integer(0), by_zero};
  const Term overflows = t_.all_of({t_.boolean(!t_.is_unbounded()),
                                    t_.equal(a, t_.integer(INT64_MIN)),
                                    t_.equal(b, t_.integer(-1))});
  if (t_.is_true(overflows)) return {t_.integer(0), overflows};
  return {op == Operator::Divide ? t_.divide(a, b) : t_.remainder(a, b),
          t_.any_of({by_zero, overflows})};
}

SymbolicValue SymbolicExpressions::shifted(smt::Op op, Term a, Term b) {
  const Term fault =
      t_.any_of({t_.less(b, t_.integer(0)), t_.less(t_.integer(63), b)});
  if (t_.is_true(fault)) return {t_.integer(0), fault};
  return {t_.bits(op, a, b), fault};
}

}  // namespace txscope::verify
