#include "verify/unserial_models.h"

#include "verify/decide.h"
#include "verify/small_inputs.h"

namespace txscope::verify {

using smt::Term;

UnserialModels::UnserialModels(Question& question, Base level, Notion notion,
                               const Budget& budget)
    : question_(question), level_(level), budget_(budget) {
  smt::Terms& t = *question.terms;
  symbolic::HistoryEncoding& encoding = *question.encoding;
  for (const Rule& rule : question.rules) {
    if (rule.kind == "errors") wanted_.push_back(rule.broken);
  }
  why_ = wanted_.empty()
             ? "executions with cycles were found for some inputs, which show "
               "nothing for those that were searched; others are left"
             : "executions with errors were found for some inputs, the same as "
               "serially for those that were searched; others are left";
  std::vector<Term> odd = {encoding.is_complete(), encoding.has_cycle()};
  if (notion != Notion::Trace) {
    if (const auto unlike =
            encoding.is_unlike_serial(notion, question.same_row))
      odd.push_back(*unlike);
  }
  wanted_.push_back(t.all_of(odd));
  solver_ = make_solver(question, budget);
  for (const Term f : encoding.axioms(level)) solver_->add(f);
  is_cut_ =
      !t.is_false(question.cut) && solver_->check(std::vector{question.cut}) !=
                                       smt::Satisfiability::Unsatisfiable;
}

Activity UnserialModels::activity() {
  constexpr std::uint64_t kSteps = 500'000;  // some seconds of the solver
  return find_activity(question_, level_, budget_.at_most(kSteps));
}

std::optional<smt::Model> UnserialModels::next(
    const std::function<Term(const smt::Model&)>& others) {
  while (!wanted_.empty()) {
    solver_->push();
    solver_->add(wanted_.back());
    const smt::Satisfiability answer = solver_->check();
    if (answer == smt::Satisfiability::Satisfiable) {
      smt::Model model = with_small_inputs(question_, *solver_, budget_);
      solver_->pop();
      solver_->add(others(model));
      return model;
    }
    solver_->pop();
    if (answer == smt::Satisfiability::Unknown) {
      why_ = "the solver gave up";
      return std::nullopt;
    }
    wanted_.pop_back();
  }
  is_exhausted_ = !is_cut_;
  if (is_cut_) why_ = "a loop goes on beyond its bound";
  return std::nullopt;
}

}  // namespace txscope::verify
