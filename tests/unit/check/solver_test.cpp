#include "check/solver/solver.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "base/random.h"
#include "support/fuzz.h"

namespace txscope::sat {
namespace {

// A formula over a graph, small enough to try every assignment.
struct Formula {
  struct Edge {
    check::sat::Lit why;
    check::sat::AcyclicGraph::Node from;
    check::sat::AcyclicGraph::Node to;
  };
  std::uint32_t vars = 0;
  std::uint32_t nodes = 0;
  std::vector<check::sat::AcyclicGraph::Link> fixed;
  std::vector<std::vector<check::sat::Lit>> clauses;
  std::vector<Edge> edges;
};

check::sat::Lit random_literal(Random& random, std::uint32_t vars) {
  return check::sat::Lit(static_cast<check::sat::Var>(random.below(vars)),
                         random.chance(0.5));
}

Formula random_formula(Random& random) {
  Formula f;
  f.vars = static_cast<std::uint32_t>(random.between(1, 9));
  f.nodes = static_cast<std::uint32_t>(random.between(2, 7));
  const auto node = [&] {
    return static_cast<check::sat::AcyclicGraph::Node>(random.below(f.nodes));
  };
  for (auto i = random.below(f.nodes); i > 0; --i) {
    const auto a = node();
    const auto b = node();
    if (a < b) f.fixed.push_back({a, b});
  }
  for (auto i = random.below(4 * f.vars); i > 0; --i) {
    std::vector<check::sat::Lit> clause;
    for (auto k = random.between(1, 4); k > 0; --k)
      clause.push_back(random_literal(random, f.vars));
    f.clauses.push_back(clause);
  }
  for (auto i = random.below(4 * f.nodes); i > 0; --i)
    f.edges.push_back({random_literal(random, f.vars), node(), node()});
  return f;
}

bool holds(check::sat::Lit lit, std::uint32_t assignment) {
  return ((assignment >> lit.var()) & 1) != lit.is_negated();
}

// Takes away nodes that lead nowhere until none is left, or only cycles are.
bool is_acyclic(std::array<std::uint32_t, 8> successors, std::uint32_t nodes) {
  std::uint32_t left = (1u << nodes) - 1;
  for (std::uint32_t before = 0; left != before;) {
    before = left;
    for (std::uint32_t n = 0; n < nodes; ++n)
      if ((successors[n] & left) == 0) left &= ~(1u << n);
  }
  return left == 0;
}

using VarSet = std::uint32_t;  // a bit per variable
constexpr VarSet kAllVars = ~0u;

// Counts only clauses and edges over `vars`.  Written with bits: it is tried
// for every assignment of thousands of formulas.
bool satisfies(const Formula& f, std::uint32_t assignment, VarSet vars) {
  for (const auto& clause : f.clauses) {
    bool is_satisfied = false;
    for (const check::sat::Lit lit : clause) {
      is_satisfied = ((vars >> lit.var()) & 1) == 0 || holds(lit, assignment);
      if (is_satisfied) break;
    }
    if (!is_satisfied) return false;
  }
  std::array<std::uint32_t, 8> successors{};
  for (const auto& link : f.fixed) successors[link.from] |= 1u << link.to;
  for (const auto& e : f.edges)
    if (((vars >> e.why.var()) & 1) != 0 && holds(e.why, assignment))
      successors[e.from] |= 1u << e.to;
  return is_acyclic(successors, f.nodes);
}

bool is_satisfiable(const Formula& f, VarSet vars) {
  for (std::uint32_t a = 0; a < 1u << f.vars; ++a)
    if (satisfies(f, a, vars)) return true;
  return false;
}

check::sat::Solver start(const Formula& f) {
  std::vector<check::sat::AcyclicGraph::Node> order(f.nodes);
  std::iota(order.begin(), order.end(), 0);
  check::sat::Solver solver{check::sat::AcyclicGraph(f.fixed, order)};
  for (std::uint32_t v = 0; v < f.vars; ++v) solver.add_variable(v % 2 == 0);
  return solver;
}

void expect_model(const check::sat::Solver& solver, const Formula& f) {
  std::uint32_t assignment = 0;
  for (check::sat::Var v = 0; v < f.vars; ++v)
    if (solver.is_true(check::sat::Lit(v, false))) assignment |= 1u << v;
  EXPECT_TRUE(satisfies(f, assignment, kAllVars));
  for (const auto& e : f.edges)
    EXPECT_TRUE(!holds(e.why, assignment) || solver.graph().position(e.from) <
                                                 solver.graph().position(e.to));
}

void expect_core(const check::sat::Solver& solver, const Formula& f) {
  VarSet vars = 0;
  for (const check::sat::Var v : solver.core().vars) vars |= 1u << v;
  EXPECT_FALSE(is_satisfiable(f, vars));
}

TEST(Solver, AgreesWithTryingEveryAssignment) {
  Random random(1);
  std::array<int, 2> seen{};
  for (int round = 0; round < fuzz_rounds(20000); ++round) {
    const Formula f = random_formula(random);
    check::sat::Solver solver = start(f);
    for (const auto& clause : f.clauses) solver.add_clause(clause);
    for (const auto& e : f.edges) solver.add_edge(e.why, e.from, e.to);
    const bool expected = is_satisfiable(f, kAllVars);
    const check::sat::Satisfiability answer = solver.solve(Budget::unlimited());
    ASSERT_EQ(answer == check::sat::Satisfiability::Satisfiable, expected)
        << "round " << round;
    if (expected)
      expect_model(solver, f);
    else
      expect_core(solver, f);
    ++seen[expected];
  }
  EXPECT_GT(seen[0], fuzz_rounds(1000));
  EXPECT_GT(seen[1], fuzz_rounds(1000));
}

TEST(Solver, TakesClausesAndEdgesBetweenCalls) {
  Random random(2);
  for (int round = 0; round < fuzz_rounds(4000); ++round) {
    const Formula all = random_formula(random);
    Formula f = all;
    f.clauses.clear();
    f.edges.clear();
    check::sat::Solver solver = start(f);
    std::size_t c = 0;
    std::size_t e = 0;
    while (c < all.clauses.size() || e < all.edges.size()) {
      if (c < all.clauses.size()) {
        f.clauses.push_back(all.clauses[c]);
        solver.add_clause(all.clauses[c++]);
      }
      if (e < all.edges.size()) {
        f.edges.push_back(all.edges[e]);
        solver.add_edge(all.edges[e].why, all.edges[e].from, all.edges[e].to);
        ++e;
      }
      const bool expected = is_satisfiable(f, kAllVars);
      const check::sat::Satisfiability answer =
          solver.solve(Budget::unlimited());
      ASSERT_EQ(answer == check::sat::Satisfiability::Satisfiable, expected)
          << "round " << round;
      if (expected)
        expect_model(solver, f);
      else
        expect_core(solver, f);
    }
  }
}

TEST(Solver, NamesTheAssumptionsThatFail) {
  Random random(3);
  int failures = 0;
  for (int round = 0; round < 5000; ++round) {
    Formula f = random_formula(random);
    check::sat::Solver solver = start(f);
    for (const auto& clause : f.clauses) solver.add_clause(clause);
    for (const auto& e : f.edges) solver.add_edge(e.why, e.from, e.to);
    if (solver.solve(Budget::unlimited()) !=
        check::sat::Satisfiability::Satisfiable)
      continue;
    std::vector<check::sat::Lit> assumptions;
    for (int i = 0; i < 4; ++i)
      assumptions.push_back(random_literal(random, f.vars));
    const check::sat::Satisfiability answer =
        solver.solve(Budget::unlimited(), assumptions);
    Formula with = f;
    for (const check::sat::Lit a : assumptions) with.clauses.push_back({a});
    ASSERT_EQ(answer == check::sat::Satisfiability::Satisfiable,
              is_satisfiable(with, kAllVars));
    if (answer == check::sat::Satisfiability::Satisfiable) continue;
    ++failures;
    for (const check::sat::Lit a : solver.failed()) f.clauses.push_back({a});
    EXPECT_FALSE(is_satisfiable(f, kAllVars));
  }
  EXPECT_GT(failures, 500);
}

// n + 1 pigeons in n holes: hard enough for restarts and forgotten clauses.
TEST(Solver, RefutesThePigeonholePrinciple) {
  constexpr std::uint32_t kHoles = 7;
  check::sat::Solver solver{check::sat::AcyclicGraph({}, {})};
  const auto in = [&](std::uint32_t pigeon, std::uint32_t hole) {
    return check::sat::Lit(pigeon * kHoles + hole, false);
  };
  for (std::uint32_t v = 0; v < (kHoles + 1) * kHoles; ++v)
    solver.add_variable(true);
  for (std::uint32_t p = 0; p <= kHoles; ++p) {
    std::vector<check::sat::Lit> somewhere;
    for (std::uint32_t h = 0; h < kHoles; ++h) somewhere.push_back(in(p, h));
    solver.add_clause(somewhere);
    for (std::uint32_t q = 0; q < p; ++q)
      for (std::uint32_t h = 0; h < kHoles; ++h)
        solver.add_clause({~in(p, h), ~in(q, h)});
  }
  EXPECT_EQ(solver.solve(Budget::unlimited()),
            check::sat::Satisfiability::Unsatisfiable);
  EXPECT_EQ(solver.core().vars.size(), (kHoles + 1) * kHoles);
}

// Every pair of n nodes is ordered one way or the other: any assignment
// without a cycle is a permutation, and one always exists.
TEST(Solver, OrdersATournamentWithManyForbiddenTriples) {
  Random random(4);
  constexpr std::uint32_t kNodes = 60;
  std::vector<check::sat::AcyclicGraph::Node> order(kNodes);
  std::iota(order.begin(), order.end(), 0);
  check::sat::Solver solver{check::sat::AcyclicGraph({}, order)};
  std::vector<std::vector<check::sat::Lit>> before(
      kNodes, std::vector<check::sat::Lit>(kNodes));
  for (std::uint32_t a = 0; a < kNodes; ++a) {
    for (std::uint32_t b = a + 1; b < kNodes; ++b) {
      before[a][b] =
          check::sat::Lit(solver.add_variable(random.chance(0.5)), false);
      before[b][a] = ~before[a][b];
      solver.add_edge(before[a][b], a, b);
      solver.add_edge(before[b][a], b, a);
    }
  }
  // "b is between a and c", for triples that one hidden permutation satisfies.
  for (std::uint32_t i = 0; i < 4 * kNodes; ++i) {
    std::array<std::uint32_t, 3> t{};
    for (auto& n : t) n = static_cast<std::uint32_t>(random.below(kNodes));
    std::sort(t.begin(), t.end());
    if (t[0] == t[1] || t[1] == t[2]) continue;
    solver.add_clause({before[t[0]][t[1]], ~before[t[1]][t[2]]});
    solver.add_clause({~before[t[0]][t[1]], before[t[1]][t[2]]});
  }
  EXPECT_EQ(solver.solve(Budget::unlimited()),
            check::sat::Satisfiability::Satisfiable);
}

TEST(Solver, StopsWhenTheBudgetIsSpent) {
  check::sat::Solver solver{check::sat::AcyclicGraph({}, {})};
  solver.add_variable(true);
  const Budget budget = Budget::unlimited();
  budget.cancel();
  EXPECT_EQ(solver.solve(budget), check::sat::Satisfiability::Unknown);
}

}  // namespace
}  // namespace txscope::sat
