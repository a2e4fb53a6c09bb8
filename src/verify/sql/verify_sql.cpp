#include "verify/sql/verify_sql.h"

#include "explore/sql/explore_sql.h"
#include "verify/rules.h"
#include "verify/sql/sql_question.h"

namespace txscope {
namespace {

/// Runs explore with the model's inputs: only what it finds is believed.
Result<std::shared_ptr<const VerifiedExample>> confirm_sql(
    const sql::Application& application, const sql::SqlQuestion& question,
    std::size_t rule, Base level, const smt::Model& model,
    const VerifyOptions& options, const Budget& budget) {
  auto out = std::make_shared<VerifiedExample>();
  for (const sql::SqlQuestion::Origin& origin : question.origins) {
    const sql::Value value = sql::value_of(origin.value, model);
    InputValue input;
    input.name = origin.name;
    input.text = to_string(value);
    if (value.kind() == sql::Kind::Integer) input.number = value.integer();
    out->inputs.push_back(std::move(input));
  }
  sql::Application chosen = sql::with_inputs(application, question, model);
  const std::vector<sql::Property> all = chosen.properties;
  chosen.properties = {all[rule]};
  ExploreOptions how;
  how.levels = {level};
  how.loop_bound = options.loop_bound;
  auto explored = sql::explore_sql(chosen, how, budget);
  if (!explored) return explored.error();
  const Answer& found = (*explored)->answers().front();
  if (found.counterexamples.empty()) {
    return Error{application.place({}),
                 found.is_complete
                     ? "explore does not find the solver's violation"
                     : "explore did not come to an end with these inputs",
                 "", ""};
  }
  out->workload = sql::workload_of(chosen);
  out->example = found.counterexamples.front();
  return std::shared_ptr<const VerifiedExample>(std::move(out));
}

}  // namespace

Result<VerifyResult> verify_sql(const sql::Application& application,
                                const VerifyOptions& options,
                                const Budget& budget) {
  RuleSource<sql::SqlQuestion> source;
  source.make = [&](std::uint64_t rounds) {
    return sql::make_sql_question(application, rounds, budget);
  };
  source.show = [&](const sql::SqlQuestion& question, std::size_t rule,
                    Base level, const smt::Model& model,
                    Shown& shown) -> std::string {
    auto made =
        confirm_sql(application, question, rule, level, model, options, budget);
    if (!made) return made.error().what;
    shown = *made;
    return "";
  };
  auto result = decide_rules(source, options, budget);
  if (!result) return result.error();
  result->bounds.sessions = application.sessions.size();
  for (const sql::Session& s : application.sessions) {
    result->bounds.transactions += s.calls.size();
  }
  return result;
}

}  // namespace txscope
