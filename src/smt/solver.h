#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "smt/model.h"
#include "smt/terms.h"

namespace txscope::smt {

enum class Satisfiability : std::uint8_t {
  Satisfiable,
  Unsatisfiable,
  Unknown
};

/// How integers are given to the solver.
enum class Arithmetic : std::uint8_t {
  Integers,    ///< mathematical; fast where programs add and compare
  BitVectors,  ///< 64 bits; the only one that knows bit operators
};

struct SolverStatistics {
  std::uint64_t checks = 0;
  double seconds = 0;  ///< in the solver
};

/// Decides formulas over Terms with Z3.  The only place that knows Z3; nothing
/// is thrown across this border.  One thread uses one solver; the terms may
/// grow while it lives.
class Solver {
 public:
  /// The budget may end every check, even a running one.  Where it counts
  /// steps, each check may take as many, in its own measure.
  Solver(const Terms& terms, Arithmetic arithmetic, const Budget& budget);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void add(Term formula);
  void push();
  void pop();

  [[nodiscard]] Satisfiability check() { return check({}); }
  /// Under further formulas, for this check only.
  [[nodiscard]] Satisfiability check(std::span<const Term> assumptions);

  /// After Satisfiable.
  [[nodiscard]] Model model() const;
  /// After Unsatisfiable: assumptions that suffice for it.
  [[nodiscard]] std::vector<Term> core() const;
  /// What was asked by the last check without assumptions, as SMT-LIB 2 text
  /// that any solver can read.
  [[nodiscard]] std::string smt_lib() const;
  [[nodiscard]] const SolverStatistics& statistics() const;
  /// What all checks took, in the solver's own measure, which is the same on
  /// every machine.
  [[nodiscard]] std::uint64_t effort() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The name and version of the solver behind it: "Z3 4.8.12".
[[nodiscard]] std::string solver_version();

/// Decides SMT-LIB 2 text anew.
[[nodiscard]] Satisfiability check_smt_lib(const std::string& text);

/// Integers, unless some term needs bits.
[[nodiscard]] Arithmetic fitting_arithmetic(const Terms& terms);

}  // namespace txscope::smt
