#pragma once

#include <functional>

#include "model/program.h"
#include "smt/terms.h"

namespace txscope::verify {

/// The value of an expression, and when evaluating it fails instead.
struct SymbolicValue {
  smt::Term value;
  smt::Term fault;
};

/// What the names in an expression stand for.
struct SymbolicNames {
  std::function<SymbolicValue(std::uint32_t local)> local;
  std::function<SymbolicValue(std::uint32_t local_ref)> local_of;
  /// The value of a row, by its table and the (checked) index.
  std::function<smt::Term(TableId table, smt::Term index)> row;
};

/// Expressions of `.txn` programs over terms: 64-bit integers, overflow,
/// division by zero, shifts and indices out of range as faults, `&&`, `||` and
/// `?:` evaluated only as far as needed.
class SymbolicExpressions {
 public:
  SymbolicExpressions(smt::Terms& terms, const Program& program)
      : t_(terms), program_(program) {}

  [[nodiscard]] SymbolicValue evaluate(ExprId id, const SymbolicNames& names);
  /// Whether it is true, which one that fails is not.
  [[nodiscard]] smt::Term is_true(ExprId id, const SymbolicNames& names) {
    const SymbolicValue v = evaluate(id, names);
    return t_.all_of({t_.negation(v.fault), t_.as_truth(v.value)});
  }
  [[nodiscard]] smt::Term is_outside(TableId table, smt::Term index);

 private:
  SymbolicValue lazy(const Expr& e, const SymbolicNames& names);
  SymbolicValue strict(Operator op, smt::Term a, smt::Term b);
  SymbolicValue divided(Operator op, smt::Term a, smt::Term b);
  SymbolicValue shifted(smt::Op op, smt::Term a, smt::Term b);

  smt::Terms& t_;
  const Program& program_;
};

}  // namespace txscope::verify
