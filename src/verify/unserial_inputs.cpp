#include "verify/unserial_inputs.h"

#include <algorithm>

#include "verify/counterexample.h"
#include "verify/rules.h"
#include "verify/small_inputs.h"

namespace txscope {

using smt::Term;

Result<std::unique_ptr<UnserialInputs>> UnserialInputs::make(
    const Program& program, Base level, std::uint64_t loop_bound,
    const Budget& budget) {
  std::unique_ptr<UnserialInputs> out(new UnserialInputs(program, budget));
  for (std::uint64_t rounds = std::min<std::uint64_t>(4, loop_bound);;
       rounds = std::min(rounds * 4, loop_bound)) {
    SummaryOptions how;
    how.rounds = rounds;
    how.constant_rounds = loop_bound;
    auto question = make_question(program, how, budget);
    if (!question) return question.error();
    const auto found = find_contradiction(question->question, budget);
    if (!found) return found.error();
    if (*found) return contradiction_error(question->question, **found);
    if (out->ask(std::move(*question), level) || rounds >= loop_bound ||
        budget.spent_now()) {
      return out;
    }
  }
}

bool UnserialInputs::ask(ProgramQuestion question, Base level) {
  question_ = std::move(question);
  Question& q = question_.question;
  // The rule "errors" is the last.
  wanted_ = {q.rules.back().broken, q.terms->all_of({q.encoding->is_complete(),
                                                     q.encoding->has_cycle()})};
  solver_ = make_solver(q, budget_);
  for (const Term f : q.encoding->axioms(level)) solver_->add(f);
  is_bounded_ =
      !q.terms->is_false(q.cut) &&
      solver_->check(std::vector{q.cut}) != smt::Answer::Unsatisfiable;
  return !is_bounded_;
}

std::optional<UnserialInputs::Choice> UnserialInputs::next() {
  while (!wanted_.empty()) {
    solver_->push();
    solver_->add(wanted_.back());
    const smt::Answer answer = solver_->check();
    if (answer == smt::Answer::Satisfiable) {
      const smt::Model model =
          with_small_inputs(question_.question, *solver_, budget_);
      solver_->pop();
      solver_->add(others(model));
      return Choice{with_inputs(program_, question_, model),
                    input_values(question_, model)};
    }
    solver_->pop();
    if (answer == smt::Answer::Unknown) {
      why_ = "the solver gave up";
      return std::nullopt;
    }
    wanted_.pop_back();
  }
  is_exhausted_ = !is_bounded_;
  if (is_bounded_) why_ = "a loop goes on beyond its bound";
  return std::nullopt;
}

Term UnserialInputs::others(const smt::Model& model) {
  smt::Terms& t = *question_.question.terms;
  std::vector<Term> any;
  for (const OpenInput& input : question_.question.inputs) {
    any.push_back(t.negation(
        t.equal(input.value, t.integer(model.integer(input.value)))));
  }
  return t.any_of(any);
}

}  // namespace txscope
