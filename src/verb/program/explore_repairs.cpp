#include "verb/program/explore_repairs.h"

#include <algorithm>

#include "model/product/error_class.h"
#include "read/sql/sql.h"
#include "repair/same_meaning.h"
#include "repair/search.h"

namespace txscope::verb {
namespace {

/// Of one change; about a second.
constexpr std::uint64_t kStepsOfTry = 200'000;

class ExploreQuestion {
 public:
  ExploreQuestion(const Explored& explored, const Counterexample& example,
                  const Budget& budget)
      : explored_(explored), example_(example), budget_(budget) {
    options_ = explored.options;
    options_.all = true;
    options_.explains = false;
    options_.on_progress = {};
    options_.on_outcome = {};
    options_.on_answer = {};
  }

  std::optional<repair::Trial> ask(const repair::Change& change,
                                   const std::string& text) {
    return change.level.empty() ? of_text(text) : of_level(change.level);
  }

 private:
  std::optional<repair::Trial> of_level(const std::string& level) {
    for (const Answer& answer : explored_.known)
      if (answer.level == level) return trial(answer);
    const auto profile = parse_profile(level);
    if (!profile) return std::nullopt;
    return answered(explored_.application, **profile);
  }

  std::optional<repair::Trial> of_text(const std::string& text) {
    const auto changed = sql::read_sql(explored_.file, text);
    if (!changed || !does_the_same(*changed)) return std::nullopt;
    return answered(*changed, explored_.profile);
  }

  [[nodiscard]] bool does_the_same(const sql::Application& changed) {
    const auto ready =
        sql::ReadyApplication::make(changed, options_.loop_bound, budget_);
    if (!old_)
      if (auto old = sql::ReadyApplication::make(explored_.application,
                                                 options_.loop_bound, budget_))
        old_ = std::move(*old);
    return ready && *ready != nullptr && old_ != nullptr &&
           repair::do_the_same_serially(old_->initial(), explored_.application,
                                        (*ready)->initial(), changed, budget_);
  }

  std::optional<repair::Trial> answered(const sql::Application& application,
                                        const Profile& profile) {
    if (budget_.spent_now()) return std::nullopt;
    const Budget one = budget_.at_most(kStepsOfTry);
    const auto answer =
        engine::explore_profile(application, profile, options_, one);
    budget_.charge(one);
    if (!answer) return std::nullopt;
    return trial(*answer);
  }

  [[nodiscard]] repair::Trial trial(const Answer& answer) const {
    repair::Trial trial;
    trial.helps = verdict_in(answer) == Outcome::Holds;
    trial.all_hold = std::all_of(
        answer.properties.begin(), answer.properties.end(),
        [](const PropertyAnswer& p) { return p.verdict == Outcome::Holds; });
    for (const auto& [code, n] : answer.counts.aborts)
      if (is_transient(code)) trial.retried.push_back(code);
    return trial;
  }

  /// Of what was violated.
  [[nodiscard]] Outcome verdict_in(const Answer& answer) const {
    if (example_.property) {
      const std::size_t index = example_.property->index;
      return index < answer.properties.size() ? answer.properties[index].verdict
                                              : Outcome::Undecided;
    }
    for (const BuiltinAnswer& row : answer.builtins)
      if (row.which == example_.builtin) return row.verdict;
    return Outcome::Undecided;
  }

  const Explored& explored_;
  const Counterexample& example_;
  const Budget& budget_;
  engine::ProfileOptions options_;
  std::unique_ptr<const sql::ReadyApplication> old_;
};

repair::Problem problem_of(const Explored& explored,
                           const Counterexample& example) {
  repair::Problem problem =
      repair::problem_of(explored.application, &explored.profile);
  if (explored.application.origin == nullptr) problem.text = explored.text;
  if (example.builtin == Builtin::NoDeadlock)
    problem.kind = repair::Problem::Kind::Deadlock;
  for (const Step& step : example.steps)
    if (step.kind == Step::Kind::Statement || step.kind == Step::Kind::Wait)
      problem.steps.push_back(step.at);
  for (const sql::Session& session : explored.application.sessions)
    for (const sql::Call& call : session.calls)
      problem.routines.push_back(call.routine);
  for (const Profile& other : profiles())
    if (other.product == explored.profile.product &&
        other.isolation > explored.profile.isolation &&
        explored.is_offered(other))
      problem.levels.push_back(&other);
  return problem;
}

}  // namespace

std::vector<Repair> explore_repairs(const Explored& explored,
                                    const Counterexample& example,
                                    const Budget& budget) {
  ExploreQuestion question(explored, example, budget);
  return repair::find_repairs(
      problem_of(explored, example),
      [&](const repair::Change& change, const std::string& text) {
        return question.ask(change, text);
      },
      {}, budget);
}

}  // namespace txscope::verb
