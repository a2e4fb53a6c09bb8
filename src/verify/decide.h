#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/level.h"
#include "model/outcome.h"
#include "smt/model.h"
#include "smt/solver.h"
#include "verify/question.h"

namespace txscope::verify {

using Evidence = std::shared_ptr<const std::string>;

/// A rule at a level.
struct Cell {
  Base level = Base::Serializable;
  Outcome verdict = Outcome::Undecided;
  /// Of Holds: no execution exists under the assumptions.
  bool is_vacuous = false;
  std::string why;  ///< of Undecided
  /// Of Violated: which of Decided::models shows it.
  std::size_t model = 0;
  /// Of Holds: that no execution of this level, or of a weaker one, breaks the
  /// rule, as SMT-LIB 2 text that is unsatisfiable.
  Evidence evidence;
};

/// What was found out about one rule.
struct Decided {
  std::vector<Cell> cells;  ///< as the levels asked for, weakest first
  struct Found {
    Base level = Base::Serializable;
    smt::Model model;
  };
  std::vector<Found> models;
  smt::SolverStatistics statistics;
};

/// Which levels have an execution at all, and whether a bound cuts some.
struct LevelFacts {
  Base level = Base::Serializable;
  smt::Satisfiability has_execution = smt::Satisfiability::Unknown;
  smt::Satisfiability is_cut = smt::Satisfiability::Unknown;
};

/// A solver that knows the inputs and the executions, of whatever level.
[[nodiscard]] std::unique_ptr<smt::Solver> make_solver(Question& question,
                                                       const Budget& budget);

/// Assumptions that no input satisfies together, the fewest; nothing if there
/// is an input.
struct Contradiction {
  std::vector<std::size_t> assumptions;
};
[[nodiscard]] Result<std::optional<Contradiction>> find_contradiction(
    Question& question, const Budget& budget);

/// For every level whether executions exist, and whether one is cut.  Levels
/// are weakest first.
[[nodiscard]] std::vector<LevelFacts> find_executions(
    Question& question, const std::vector<Base>& levels, const Budget& budget);

/// Decides one rule at all levels.  A violation at a level is one at all weaker
/// ones; where it holds, it holds at all stronger ones.  Inputs of models are
/// as small as a short search finds them.
[[nodiscard]] Decided decide(Question& question, std::size_t rule,
                             const std::vector<Base>& levels,
                             const std::vector<LevelFacts>& facts,
                             const Budget& budget);

}  // namespace txscope::verify
