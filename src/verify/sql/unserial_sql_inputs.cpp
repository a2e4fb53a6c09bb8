#include "verify/sql/unserial_sql_inputs.h"

#include <algorithm>

#include "verify/rules.h"
#include "verify/sql/engine_cover.h"
#include "verify/sql/sql_inputs.h"
#include "verify/sql/with_inputs.h"

namespace txscope::verify {

Result<std::unique_ptr<UnserialSqlInputs>> UnserialSqlInputs::make(
    const sql::Application& application, Base level, const Profile* profile,
    Notion notion, std::uint64_t loop_bound, const Budget& budget) {
  std::unique_ptr<UnserialSqlInputs> out(new UnserialSqlInputs(application));
  // What is asked is not a rule of the application.
  sql::Application without_rules = application;
  without_rules.properties.clear();
  std::optional<EngineCover> cover;
  if (profile != nullptr) level = cover.emplace(application, *profile).base();
  for (std::uint64_t rounds = std::min<std::uint64_t>(4, loop_bound);;
       rounds = std::min(rounds * 4, loop_bound)) {
    SqlExecutions executions;
    if (cover) executions = cover->executions(rounds);
    executions.rounds = rounds;
    executions.has_exact_reads = true;
    auto question = make_sql_question(without_rules, executions, budget);
    if (!question) return question.error();
    const auto found = find_contradiction(question->question, budget);
    if (!found) return found.error();
    if (*found) return contradiction_error(question->question, **found);
    out->models_.reset();
    out->question_ = std::make_unique<SqlQuestion>(std::move(*question));
    out->rounds_ = rounds;
    out->models_ = std::make_unique<UnserialModels>(out->question_->question,
                                                    level, notion, budget);
    const bool is_cut = out->models_->is_cut();
    if (cover) out->why_not_all_ = cover->why_not_all(*out->question_, is_cut);
    if (!is_cut || rounds >= loop_bound || budget.spent_now()) return out;
  }
}

std::optional<UnserialSqlInputs::Choice> UnserialSqlInputs::next() {
  const auto model = models_->next(
      [this](const smt::Model& m) { return other_inputs(*question_, m); });
  if (!model) return std::nullopt;
  return Choice{with_inputs(application_, *question_, *model),
                input_values(*question_, *model)};
}

std::string UnserialSqlInputs::why() const {
  return models_->is_exhausted() ? why_not_all_ : models_->why();
}

std::optional<VerifyBounds> UnserialSqlInputs::bounds() const {
  VerifyBounds out = bounds_of(question_->question, rounds_);
  out.sessions = application_.sessions.size();
  for (const sql::Session& s : application_.sessions)
    out.transactions += s.calls.size();
  return out;
}

Result<std::unique_ptr<InputChoices>> make_unserial_choices(
    const sql::Application& application, Base level, const Profile* profile,
    Notion notion, std::uint64_t loop_bound, const Budget& budget) {
  auto exact = UnserialSqlInputs::make(application, level, profile, notion,
                                       loop_bound, budget);
  if (exact) return std::unique_ptr<InputChoices>(std::move(*exact));
  auto any = SqlInputs::make(application, budget);
  if (!any) return any.error();
  (*any)->explain(exact.error().what + ", line " +
                  std::to_string(exact.error().where.line));
  return std::unique_ptr<InputChoices>(std::move(*any));
}

}  // namespace txscope::verify
