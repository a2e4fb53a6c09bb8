#pragma once

#include <z3++.h>

#include <optional>
#include <vector>

#include "smt/solver.h"

namespace txscope::smt {

/// Terms as Z3's expressions, each made once.  Private to this folder.
class Lowering {
 public:
  Lowering(z3::context& context, const Terms& terms, Arithmetic arithmetic)
      : context_(context), terms_(terms), arithmetic_(arithmetic) {}

  z3::expr lower(Term root);
  /// Unknowns in the order in which they were met.
  [[nodiscard]] const std::vector<Term>& variables() const {
    return variables_;
  }
  void add_bounds(Term variable, z3::solver& solver);
  /// What a model says of an unknown; nothing if it leaves it open.
  [[nodiscard]] std::optional<std::int64_t> value(Term variable,
                                                  const z3::model& model);

 private:
  z3::expr make(Term t);
  z3::expr variable(Term t);
  z3::expr arithmetic(Op op, const z3::expr& a, const z3::expr& b);
  z3::expr on_integers(Op op, const z3::expr& a, const z3::expr& b);
  z3::expr on_bits(Op op, const z3::expr& a, const z3::expr& b);
  z3::expr number(std::int64_t value);
  z3::expr outside(const z3::expr& value);
  [[nodiscard]] bool is_bits() const {
    return arithmetic_ == Arithmetic::BitVectors;
  }

  z3::context& context_;
  const Terms& terms_;
  Arithmetic arithmetic_;
  std::vector<std::optional<z3::expr>> made_;
  std::vector<Term> variables_;
};

}  // namespace txscope::smt
