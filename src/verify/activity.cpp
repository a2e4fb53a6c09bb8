#include "verify/activity.h"

#include "smt/solver.h"
#include "verify/decide.h"

namespace txscope::verify {
namespace {

using smt::Term;

class ActivitySearch {
 public:
  ActivitySearch(Question& question, Base level, const Budget& budget)
      : question_(question), solver_(make_solver(question, budget)) {
    symbolic::HistoryEncoding& encoding = *question.encoding;
    for (const Term f : encoding.axioms(level)) solver_->add(f);
    solver_->add(encoding.is_complete());
  }

  Activity run() {
    symbolic::HistoryEncoding& encoding = *question_.encoding;
    std::vector<Term> changes;
    for (std::size_t t = 1; t < encoding.size(); ++t) {
      unseen_.push_back(t);
      changes.push_back(encoding.changes(t));
    }
    Activity out;
    out.transactions = unseen_.size();
    out.is_known = see_commits();
    for (const std::size_t t : unseen_)
      out.never_commit.push_back(question_.transactions[t - 1]);
    out.changes_rows = exists(question_.terms->any_of(changes), out.is_known);
    out.sessions_meet = exists(encoding.sessions_meet(), out.is_known);
    return out;
  }

 private:
  /// False if the solver gave up.
  bool see_commits() {
    symbolic::HistoryEncoding& encoding = *question_.encoding;
    while (!unseen_.empty()) {
      std::vector<Term> any;
      for (const std::size_t t : unseen_) any.push_back(encoding.commits(t));
      const smt::Satisfiability answer =
          solver_->check(std::vector{question_.terms->any_of(any)});
      if (answer != smt::Satisfiability::Satisfiable)
        return answer == smt::Satisfiability::Unsatisfiable;
      const smt::Model model = solver_->model();
      std::erase_if(unseen_, [&](std::size_t t) {
        return model.truth(encoding.commits(t));
      });
    }
    return true;
  }

  [[nodiscard]] bool exists(Term wanted, bool& is_known) {
    const smt::Satisfiability answer = solver_->check(std::vector{wanted});
    is_known = is_known && answer != smt::Satisfiability::Unknown;
    return answer != smt::Satisfiability::Unsatisfiable;
  }

  Question& question_;
  std::unique_ptr<smt::Solver> solver_;
  std::vector<std::size_t> unseen_;  // transactions not yet seen to commit
};

}  // namespace

Activity find_activity(Question& question, Base level, const Budget& budget) {
  return ActivitySearch(question, level, budget).run();
}

}  // namespace txscope::verify
