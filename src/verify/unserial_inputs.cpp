#include "verify/unserial_inputs.h"

#include <algorithm>

#include "verify/counterexample.h"
#include "verify/rules.h"

namespace txscope::verify {

using smt::Term;

Result<std::unique_ptr<UnserialInputs>> UnserialInputs::make(
    const Program& program, Base level, Notion notion, std::uint64_t loop_bound,
    const Budget& budget) {
  std::unique_ptr<UnserialInputs> out(new UnserialInputs(program));
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
    out->models_.reset();
    out->question_ = std::move(*question);
    out->rounds_ = rounds;
    out->models_ = std::make_unique<UnserialModels>(out->question_.question,
                                                    level, notion, budget);
    if (!out->models_->is_cut() || rounds >= loop_bound || budget.spent_now())
      return out;
  }
}

std::optional<UnserialInputs::Choice> UnserialInputs::next() {
  const auto model =
      models_->next([this](const smt::Model& m) { return others(m); });
  if (!model) return std::nullopt;
  return Choice{with_inputs(program_, question_, *model),
                input_values(question_, *model)};
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

VerifyBounds UnserialInputs::bounds() const {
  VerifyBounds out = bounds_of(question_.question, rounds_);
  out.sessions = program_.sessions.size();
  for (const ProgramSession& s : program_.sessions)
    out.transactions += s.calls.size();
  return out;
}

}  // namespace txscope::verify
