#include "verify/sql/verify_sql.h"

#include <algorithm>
#include <iterator>

#include "explore/sql/explore_sql.h"
#include "verify/rules.h"
#include "verify/sql/engine_levels.h"
#include "verify/sql/sql_question.h"
#include "verify/sql/with_inputs.h"

namespace txscope::verify {
namespace {

/// Runs explore with the model's inputs: only what it finds is believed.
Result<std::shared_ptr<const VerifiedExample>> confirm_sql(
    const sql::Application& application, const verify::SqlQuestion& question,
    std::size_t rule, Base level, const smt::Model& model,
    const VerifyOptions& options, const Budget& budget) {
  auto out = std::make_shared<VerifiedExample>();
  out->inputs = verify::input_values(question, model);
  sql::Application chosen = verify::with_inputs(application, question, model);
  const std::vector<sql::Property> all = chosen.properties;
  chosen.properties = {all[rule]};
  explore::ExploreOptions how;
  how.levels = {level};
  how.loop_bound = options.loop_bound;
  auto explored = explore::explore_sql(chosen, how, budget);
  if (!explored) return explored.error();
  const Answer& found = (*explored)->answers().front();
  if (found.counterexamples.empty()) {
    return Error{application.place({}),
                 found.is_complete
                     ? "explore does not find the solver's violation"
                     : "explore did not finish with these inputs",
                 "", ""};
  }
  out->workload = sql::workload_of(chosen);
  out->example = found.counterexamples.front();
  return std::shared_ptr<const VerifiedExample>(std::move(out));
}

Result<VerifyResult> verify_in_theory(const sql::Application& application,
                                      const VerifyOptions& options,
                                      const Budget& budget) {
  RuleSource<verify::SqlQuestion> source;
  for (const sql::Property& p : application.properties) {
    source.rules.emplace_back(p.name, std::string(name(p.kind)));
  }
  source.make = [&](std::uint64_t rounds) {
    verify::SqlExecutions executions;
    executions.rounds = rounds;
    executions.is_unbounded = options.is_unbounded;
    return verify::make_sql_question(application, executions, budget);
  };
  source.show = [&](const verify::SqlQuestion& question, std::size_t rule,
                    Base level, const smt::Model& model,
                    Shown& shown) -> std::string {
    auto made =
        confirm_sql(application, question, rule, level, model, options, budget);
    if (!made) return made.error().what;
    shown = *made;
    return "";
  };
  return verify::decide_rules(source, options, budget);
}

/// Rows of a further level behind those of others.
void add(VerifyResult more, VerifyResult& to) {
  const bool is_first = to.rows.empty();
  to.rows.insert(to.rows.end(), std::make_move_iterator(more.rows.begin()),
                 std::make_move_iterator(more.rows.end()));
  to.solver_seconds += more.solver_seconds;
  to.checks += more.checks;
  to.bounds.inputs = std::max(to.bounds.inputs, more.bounds.inputs);
  to.bounds.rounds = std::max(to.bounds.rounds, more.bounds.rounds);
  if (to.bounds.keys.empty()) to.bounds.keys = more.bounds.keys;
  if (to.bounds.numerics.empty()) to.bounds.numerics = more.bounds.numerics;
  if (is_first) to.method = more.method;
  if (!to.activity) to.activity = std::move(more.activity);
}

}  // namespace

Result<VerifyResult> verify_sql(const sql::Application& application,
                                const VerifyOptions& options,
                                const Budget& budget) {
  VerifyResult out;
  if (!options.levels.empty() || options.profiles.empty()) {
    auto result = verify_in_theory(application, options, budget);
    if (!result) return result.error();
    out = std::move(*result);
  }
  for (const Profile* profile : options.profiles) {
    auto result = verify_at_profile(application, *profile, options, budget);
    if (!result) return result.error();
    add(std::move(*result), out);
  }
  out.bounds.sessions = application.sessions.size();
  for (const sql::Session& s : application.sessions) {
    out.bounds.transactions += s.calls.size();
  }
  return out;
}

}  // namespace txscope::verify
