#include "verify/decide.h"

#include <algorithm>

#include "verify/small_inputs.h"

namespace txscope::verify {
namespace {

using smt::Solver;
using smt::Term;

void add_all(Solver& solver, const std::vector<Term>& formulas) {
  for (const Term f : formulas) solver.add(f);
}

std::string why_unknown(const Budget& budget) {
  if (!budget.spent_now()) return "the solver gave up";
  switch (budget.reason()) {
    case Spent::Memory: return "the memory was used up";
    case Spent::Steps: return "the effort was spent";
    default: return "time ran out";
  }
}

/// Subsets of a core, smallest first, until one contradicts itself.
std::vector<std::size_t> smallest_contradiction(
    Solver& solver, const Question& question,
    const std::vector<std::size_t>& core) {
  const std::size_t n = core.size();
  if (n > 12) return core;
  for (std::size_t size = 1; size < n; ++size) {
    std::vector<bool> chosen(n);
    std::fill_n(chosen.begin(), size, true);
    do {
      std::vector<std::size_t> subset;
      std::vector<Term> assumed;
      for (std::size_t i = 0; i < n; ++i) {
        if (!chosen[i]) continue;
        subset.push_back(core[i]);
        assumed.push_back(question.assumptions[core[i]].holds);
      }
      if (solver.check(assumed) == smt::Satisfiability::Unsatisfiable)
        return subset;
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return core;
}

}  // namespace

std::unique_ptr<Solver> make_solver(Question& question, const Budget& budget) {
  auto solver = std::make_unique<Solver>(
      *question.terms, smt::fitting_arithmetic(*question.terms), budget);
  add_all(*solver, question.ranges);
  for (const NamedAssumption& a : question.assumptions) solver->add(a.holds);
  add_all(*solver, question.encoding->executions());
  add_all(*solver, question.executions);
  add_all(*solver, question.encoding->order_of(question.identical_sessions));
  return solver;
}

Result<std::optional<Contradiction>> find_contradiction(Question& question,
                                                        const Budget& budget) {
  Solver solver(*question.terms, smt::fitting_arithmetic(*question.terms),
                budget);
  add_all(solver, question.ranges);
  std::vector<Term> assumed;
  for (const NamedAssumption& a : question.assumptions) {
    assumed.push_back(a.holds);
  }
  if (solver.check(assumed) != smt::Satisfiability::Unsatisfiable) {
    return std::optional<Contradiction>();
  }
  std::vector<std::size_t> core;
  const std::vector<Term> found = solver.core();
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    const bool is_needed =
        std::find(found.begin(), found.end(), assumed[i]) != found.end();
    if (is_needed) core.push_back(i);
  }
  if (core.empty()) {
    for (std::size_t i = 0; i < assumed.size(); ++i) core.push_back(i);
  }
  return std::optional(
      Contradiction{smallest_contradiction(solver, question, core)});
}

std::vector<LevelFacts> find_executions(Question& question,
                                        const std::vector<Base>& levels,
                                        const Budget& budget) {
  std::vector<LevelFacts> facts;
  facts.reserve(levels.size());
  for (const Base level : levels) facts.push_back({level, {}, {}});
  for (LevelFacts& f : facts)
    f.has_execution = f.is_cut = smt::Satisfiability::Unknown;
  const auto solver = make_solver(question, budget);
  const Term complete = question.encoding->is_complete();
  const auto note = [&](smt::Satisfiability LevelFacts::*field, std::size_t i,
                        smt::Satisfiability answer) {
    for (LevelFacts& f : facts) {
      const bool spreads = f.level == levels[i] ||
                           (answer == smt::Satisfiability::Satisfiable &&
                            implies({levels[i]}, {f.level})) ||
                           (answer == smt::Satisfiability::Unsatisfiable &&
                            implies({f.level}, {levels[i]}));
      if (spreads) f.*field = answer;
    }
  };
  for (std::size_t i = levels.size(); i-- > 0;) {
    const bool wants_cut = !question.terms->is_false(question.cut);
    if (!wants_cut) facts[i].is_cut = smt::Satisfiability::Unsatisfiable;
    const bool wants_execution =
        facts[i].has_execution == smt::Satisfiability::Unknown;
    const bool asks_cut = facts[i].is_cut == smt::Satisfiability::Unknown;
    if (!wants_execution && !asks_cut) continue;
    solver->push();
    add_all(*solver, question.encoding->axioms(levels[i]));
    if (wants_execution) {
      note(&LevelFacts::has_execution, i, solver->check(std::vector{complete}));
    }
    if (asks_cut) {
      note(&LevelFacts::is_cut, i, solver->check(std::vector{question.cut}));
    }
    solver->pop();
  }
  return facts;
}

namespace {

/// One rule, level by level.
class RuleDecider {
 public:
  RuleDecider(Question& question, const Rule& rule,
              const std::vector<Base>& levels,
              const std::vector<LevelFacts>& facts, const Budget& budget)
      : question_(question), rule_(rule), facts_(facts), budget_(budget) {
    for (const Base level : levels) {
      Cell& cell = out_.cells.emplace_back();
      cell.level = level;
    }
    is_known_.resize(levels.size());
  }

  Decided run() {
    if (question_.terms->is_false(rule_.broken)) {
      std::fill(is_known_.begin(), is_known_.end(), true);
      if (question_.keeps_evidence) {
        evidence_ =
            std::make_shared<std::string>("(assert false)\n(check-sat)\n");
      }
      for (Cell& cell : out_.cells) {
        cell.verdict = Outcome::Holds;
        cell.evidence = evidence_;
      }
    } else {
      solver_ = make_solver(question_, budget_);
      if (rule_.is_judged_at_the_end) {
        solver_->add(question_.encoding->is_complete());
      }
      solver_->add(rule_.broken);
      ask(0);  // often it holds everywhere
      for (std::size_t i = is_known_.size(); i-- > 0;) {
        if (!is_known_[i]) ask(i);
      }
      out_.statistics = solver_->statistics();
    }
    for (std::size_t i = 0; i < out_.cells.size(); ++i) qualify(i);
    return std::move(out_);
  }

 private:
  void ask(std::size_t i) {
    const Base level = out_.cells[i].level;
    solver_->push();
    for (const Term f : question_.encoding->axioms(level)) solver_->add(f);
    const smt::Satisfiability answer = solver_->check();
    if (answer == smt::Satisfiability::Satisfiable) {
      // The weakest level is asked first; a stronger one may do as well.
      if (i > 0 || is_known_.size() == 1 || has_asked_) {
        out_.models.push_back(
            {level, with_small_inputs(question_, *solver_, budget_)});
        note(i, Outcome::Violated);
      }
    } else if (answer == smt::Satisfiability::Unsatisfiable) {
      if (question_.keeps_evidence)
        evidence_ = std::make_shared<std::string>(solver_->smt_lib());
      note(i, Outcome::Holds);
    } else {
      is_known_[i] = true;
      out_.cells[i].why = why_unknown(budget_);
    }
    has_asked_ = true;
    solver_->pop();
  }

  void note(std::size_t i, Outcome verdict) {
    const Base level = out_.cells[i].level;
    for (std::size_t j = 0; j < is_known_.size(); ++j) {
      const Base other = out_.cells[j].level;
      const bool spreads = verdict == Outcome::Violated
                               ? implies({level}, {other})
                               : implies({other}, {level});
      const bool was_unknown =
          !is_known_[j] || out_.cells[j].verdict == Outcome::Undecided;
      if (!spreads || !was_unknown) continue;
      is_known_[j] = true;
      out_.cells[j].verdict = verdict;
      out_.cells[j].why.clear();
      if (verdict == Outcome::Violated) {
        out_.cells[j].model = out_.models.size() - 1;
      } else {
        out_.cells[j].evidence = evidence_;
      }
    }
  }

  /// No violation means "holds" only where executions exist and none was cut.
  void qualify(std::size_t i) {
    Cell& cell = out_.cells[i];
    if (cell.verdict != Outcome::Holds) return;
    if (facts_[i].is_cut != smt::Satisfiability::Unsatisfiable) {
      cell.verdict = Outcome::Undecided;
      cell.why = facts_[i].is_cut == smt::Satisfiability::Satisfiable
                     ? "a loop goes on beyond its bound"
                     : why_unknown(budget_);
    } else if (facts_[i].has_execution == smt::Satisfiability::Unsatisfiable) {
      cell.is_vacuous = true;
    } else if (facts_[i].has_execution == smt::Satisfiability::Unknown) {
      cell.verdict = Outcome::Undecided;
      cell.why = why_unknown(budget_);
    }
  }

  Question& question_;
  const Rule& rule_;
  const std::vector<LevelFacts>& facts_;
  const Budget& budget_;
  std::unique_ptr<Solver> solver_;
  std::vector<bool> is_known_;
  bool has_asked_ = false;
  Evidence evidence_;  // of the last level that was found to hold
  Decided out_;
};

}  // namespace

Decided decide(Question& question, std::size_t rule,
               const std::vector<Base>& levels,
               const std::vector<LevelFacts>& facts, const Budget& budget) {
  return RuleDecider(question, question.rules[rule], levels, facts, budget)
      .run();
}

}  // namespace txscope::verify
