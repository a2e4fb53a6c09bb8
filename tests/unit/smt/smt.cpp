#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "smt/solver.h"

namespace txscope::smt {
namespace {

Term unknown(Terms& terms, const char* name, std::int64_t low,
             std::int64_t high) {
  return terms.unknown(name, {low, high});
}

TEST(Terms, ComputeWhatIsConstant) {
  Terms t;
  EXPECT_EQ(t.value(t.add(t.integer(2), t.integer(3))), 5);
  EXPECT_EQ(t.value(t.divide(t.integer(-7), t.integer(2))), -3);
  EXPECT_EQ(t.value(t.remainder(t.integer(-7), t.integer(2))), -1);
  EXPECT_TRUE(t.is_true(t.less(t.integer(2), t.integer(3))));
  EXPECT_TRUE(t.is_true(t.add_overflows(t.integer(INT64_MAX), t.integer(1))));
  EXPECT_TRUE(
      t.is_true(t.subtract_overflows(t.integer(0), t.integer(INT64_MIN))));
  EXPECT_TRUE(
      t.is_false(t.subtract_overflows(t.integer(-1), t.integer(INT64_MIN))));
}

TEST(Terms, ShareEqualNodesAndUseBounds) {
  Terms t;
  const Term x = unknown(t, "x", 0, 10);
  EXPECT_EQ(t.add(x, t.integer(1)), t.add(t.integer(1), x));
  EXPECT_TRUE(t.is_true(t.less(x, t.integer(11))));
  EXPECT_TRUE(t.is_false(t.equal(x, t.integer(11))));
  EXPECT_TRUE(t.is_false(t.add_overflows(x, x)));
  const Term p = t.unknown("p");
  EXPECT_TRUE(t.is_false(t.all_of({p, t.negation(p)})));
  EXPECT_EQ(t.as_truth(t.as_integer(p)), p);
}

TEST(Solver, FindsModelsCoresAndKeepsScopes) {
  for (const Arithmetic how : {Arithmetic::Integers, Arithmetic::BitVectors}) {
    Terms t;
    const Budget budget = Budget::unlimited();
    Solver solver(t, how, budget);
    const Term x = unknown(t, "x", 0, 100);
    const Term y = unknown(t, "y", -100, 0);
    solver.add(t.equal(t.add(x, y), t.integer(7)));
    ASSERT_EQ(solver.check(), Satisfiability::Satisfiable);
    EXPECT_EQ(solver.model().integer(t.add(x, y)), 7);
    solver.push();
    solver.add(t.less(x, t.integer(7)));  // then y would be positive
    EXPECT_EQ(solver.check(), Satisfiability::Unsatisfiable);
    solver.pop();
    const std::vector<Term> assumed = {t.less(y, t.integer(-3)),
                                       t.less(x, t.integer(9))};
    EXPECT_EQ(solver.check(assumed), Satisfiability::Unsatisfiable);
    EXPECT_EQ(solver.core().size(), 2u);
    EXPECT_EQ(solver.check(), Satisfiability::Satisfiable);
  }
}

TEST(Solver, EndsWhenItsBudgetDoes) {
  Terms t;
  const Budget budget({std::chrono::milliseconds(50), std::nullopt});
  Solver solver(t, Arithmetic::BitVectors, budget);
  const Term x = unknown(t, "x", 2, INT64_MAX);
  const Term y = unknown(t, "y", 2, INT64_MAX);
  solver.add(t.negation(t.multiply_overflows(x, y)));
  // The product of two primes of 31 bits.
  solver.add(t.equal(t.multiply(x, y), t.integer(4611685975477714963)));
  EXPECT_NE(solver.check(), Satisfiability::Unsatisfiable);
}

/// A random term over x, y and z, and its value for given ones.
class RandomTerm {
 public:
  RandomTerm(Terms& terms, Random& random) : t(terms), random_(random) {}

  Term make(int depth) {
    if (depth == 0 || random_.below(6) == 0) return leaf();
    const Term a = make(depth - 1);
    const Term b = make(depth - 1);
    switch (random_.below(7)) {
      case 0: return t.add(a, b);
      case 1: return t.subtract(a, b);
      case 2: return t.choose(t.less(a, b), a, b);
      case 3: return t.as_integer(t.equal(a, b));
      case 4: return t.remainder(a, t.integer(random_.below(2) ? 3 : -4));
      case 5: return t.divide(a, t.integer(random_.below(2) ? 2 : -3));
      default: return t.multiply(a, t.integer(3));
    }
  }
  std::vector<Term> unknowns;
  Terms& t;

 private:
  Term leaf() {
    if (random_.below(3) == 0) {
      return t.integer(static_cast<std::int64_t>(random_.below(9)) - 4);
    }
    return unknowns[random_.below(unknowns.size())];
  }
  Random& random_;
};

/// What folding, the model and both forms of the solver say is one value.
TEST(Solver, AgreesWithTheModelOnRandomTerms) {
  Random random(7);
  const Budget budget = Budget::unlimited();
  for (int round = 0; round < 120; ++round) {
    Terms t;
    RandomTerm maker(t, random);
    for (int i = 0; i < 3; ++i) {
      maker.unknowns.push_back(unknown(t, "x", -20, 20));
    }
    const Term term = maker.make(4);
    Model model(t);
    std::vector<Term> fixed;
    for (const Term x : maker.unknowns) {
      const auto value = static_cast<std::int64_t>(random.below(41)) - 20;
      model.set(x, value);
      fixed.push_back(t.equal(x, t.integer(value)));
    }
    const std::int64_t expected = model.integer(term);
    fixed.push_back(t.negation(t.equal(term, t.integer(expected))));
    for (const Arithmetic how :
         {Arithmetic::Integers, Arithmetic::BitVectors}) {
      Solver solver(t, how, budget);
      for (const Term f : fixed) solver.add(f);
      EXPECT_EQ(solver.check(), Satisfiability::Unsatisfiable) << round;
    }
  }
}

}  // namespace
}  // namespace txscope::smt
