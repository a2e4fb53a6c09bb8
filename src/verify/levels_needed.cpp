#include "verify/levels_needed.h"

#include <algorithm>

#include "smt/solver.h"
#include "verify/decide.h"

namespace txscope::verify {
namespace {

using smt::Term;

constexpr std::size_t kMaxKinds = 12;

class NeedFinder {
 public:
  NeedFinder(Question& question, Base others, const Budget& budget)
      : question_(question), budget_(budget) {
    out_.others = others;
    for (const std::string& name : question.transactions) {
      if (std::find(kinds_.begin(), kinds_.end(), name) == kinds_.end()) {
        kinds_.push_back(name);
      }
    }
  }

  LevelsNeeded run() {
    if (kinds_.size() > kMaxKinds) {
      out_.is_decided = false;
      return out_;
    }
    auto solver = make_rule_solver();
    for (std::size_t size = 0; size <= kinds_.size(); ++size) {
      try_sets(*solver, size);
      if (!out_.sets.empty() || !out_.is_decided) return out_;
    }
    return out_;
  }

 private:
  /// Some rule is broken.
  std::unique_ptr<smt::Solver> make_rule_solver() {
    auto solver = make_solver(question_, budget_);
    smt::Terms& t = *question_.terms;
    const Term complete = question_.encoding->is_complete();
    std::vector<Term> any;
    for (const Rule& rule : question_.rules) {
      any.push_back(rule.is_judged_at_the_end
                        ? t.all_of({complete, rule.broken})
                        : rule.broken);
    }
    any.push_back(question_.cut);
    solver->add(t.any_of(any));
    return solver;
  }

  void try_sets(smt::Solver& solver, std::size_t size) {
    std::vector<bool> chosen(kinds_.size());
    std::fill_n(chosen.begin(), size, true);
    do {
      const smt::Satisfiability answer = check(solver, chosen);
      if (answer == smt::Satisfiability::Unknown) out_.is_decided = false;
      if (answer != smt::Satisfiability::Unsatisfiable) continue;
      if (check(*make_rule_solver(), chosen) !=
          smt::Satisfiability::Unsatisfiable)
        continue;
      std::vector<std::string> set;
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        if (chosen[k]) set.push_back(kinds_[k]);
      }
      out_.sets.push_back(std::move(set));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }

  smt::Satisfiability check(smt::Solver& solver,
                            const std::vector<bool>& chosen) {
    std::vector<Base> levels;
    for (const std::string& name : question_.transactions) {
      const auto kind = static_cast<std::size_t>(
          std::find(kinds_.begin(), kinds_.end(), name) - kinds_.begin());
      levels.push_back(chosen[kind] ? Base::Serializable : out_.others);
    }
    solver.push();
    for (const Term f : question_.encoding->axioms(levels)) solver.add(f);
    const smt::Satisfiability answer = solver.check();
    solver.pop();
    return answer;
  }

  Question& question_;
  const Budget& budget_;
  std::vector<std::string> kinds_;
  LevelsNeeded out_;
};

}  // namespace

LevelsNeeded find_levels_needed(Question& question, Base others,
                                const Budget& budget) {
  return NeedFinder(question, others, budget).run();
}

}  // namespace txscope::verify
