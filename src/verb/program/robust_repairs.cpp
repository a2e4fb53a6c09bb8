#include "verb/program/robust_repairs.h"

#include "exec/code.h"
#include "exec/sql/routine/ready_application.h"
#include "model/product/profile.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "repair/same_meaning.h"
#include "robust/profile_search.h"
#include "robust/proof/proof_run.h"
#include "robust/search_sql.h"
#include "verb/program/repair_time.h"
#include "verify/unserial_inputs.h"

namespace txscope::verb {

using robust::Notion;
using robust::RobustResult;

namespace {

/// The product's serializable, where that is another level.
const Profile* serializable_of(const Profile* profile) {
  if (profile == nullptr) return nullptr;
  for (const Profile& other : profiles())
    if (other.product == profile->product && &other != profile &&
        other.isolation == Isolation::Serializable)
      return &other;
  return nullptr;
}

/// All choices were looked at, and each is robust.
template <class Inputs, class Ask>
bool each_is_robust(Inputs& inputs, const Ask& is_robust) {
  for (std::size_t n = 0; n < kMostInputs; ++n) {
    const auto choice = inputs.next();
    if (!choice) return inputs.is_exhausted();
    if (!is_robust(*choice)) return false;
  }
  return false;
}

}  // namespace

bool RobustRepairs::is_proved(const sql::Application& changed) const {
  const auto pivot = asked_.pivot();
  return pivot && robust::ProofRun(changed, asked_.profile, *pivot,
                                   asked_.loop_bound, budget_)
                          .prove(asked_.proved())
                          .answer == Outcome::Holds;
}

bool RobustRepairs::is_robust(const Program& changed, Notion notion,
                              const Budget& effort) const {
  const auto code = exec::compile(changed);
  return code && robust::search(*code, asked_.search(notion), effort).answer ==
                     Outcome::Holds;
}

bool RobustRepairs::is_robust(const sql::Application& changed, Notion notion,
                              const Budget& effort) const {
  if (asked_.profile != nullptr) {
    const auto found = robust::search_profile(changed, *asked_.profile, notion,
                                              asked_.loop_bound, effort);
    return found && found->answer == Outcome::Holds;
  }
  const auto found = robust::search_sql(changed, asked_.search(notion), effort);
  return found && found->answer.answer == Outcome::Holds;
}

bool RobustRepairs::is_robust_for_all(const Program& changed, Notion notion,
                                      const Budget& effort) const {
  const auto inputs = verify::UnserialInputs::make(
      changed, asked_.level, notion, asked_.loop_bound, effort);
  return inputs && each_is_robust(**inputs, [&](const auto& choice) {
           return is_robust(choice.program, notion, effort);
         });
}

bool RobustRepairs::is_robust_for_all(const sql::Application& changed,
                                      Notion notion,
                                      const Budget& effort) const {
  if (asked_.method != robust::Method::Search && is_proved(changed)) {
    return true;
  }
  const auto inputs = asked_.choices(changed, notion, effort);
  return inputs && each_is_robust(**inputs, [&](const auto& choice) {
           return is_robust(choice.application, notion, effort);
         });
}

bool RobustRepairs::helps(const std::string& text, Notion notion,
                          const Budget& effort) const {
  const auto ask = [&](const auto& changed) {
    if (!changed) return false;
    return changed->arbitrary ? is_robust_for_all(*changed, notion, effort)
                              : is_robust(*changed, notion, effort);
  };
  if (application_ == nullptr) return ask(read::read_txn(request_.input, text));
  const auto changed = sql::read_open_sql(request_.input, text);
  return changed && does_the_same(*changed, effort) && ask(changed);
}

/// Of open inputs nobody knows what is done serially: they are asked for
/// robustness alone.
bool RobustRepairs::does_the_same(const sql::Application& changed,
                                  const Budget& effort) const {
  if (changed.arbitrary) return true;
  const auto old =
      sql::ReadyApplication::make(*application_, asked_.loop_bound, effort);
  const auto now =
      sql::ReadyApplication::make(changed, asked_.loop_bound, effort);
  return old && now && *old != nullptr && *now != nullptr &&
         repair::do_the_same_serially((*old)->initial(), *application_,
                                      (*now)->initial(), changed, effort);
}

repair::Problem RobustRepairs::problem(
    const robust::Counterexample* example) const {
  repair::Problem problem;
  if (application_ != nullptr)
    problem = repair::problem_of(*application_, asked_.profile);
  if (application_ == nullptr || application_->origin == nullptr)
    problem.text = text_;
  if (example == nullptr) return problem;
  for (const auto& step : example->steps)
    if (step.is_read) problem.steps.push_back(step.at);
  if (application_ != nullptr) problem.has_only_steps = true;
  if (const Profile* level = serializable_of(asked_.profile)) {
    problem.levels = {level};
    problem.transactions = example->transactions;
  }
  return problem;
}

std::vector<Repair> RobustRepairs::found(const repair::Problem& problem,
                                         const Helps& helps,
                                         std::vector<std::string_view> kinds,
                                         const Budget& effort) const {
  repair::SearchLimits limits;
  limits.most = limits.most_of_kind = 8;
  limits.tries_of_kind = 92;  // all singles, pairs and triples of eight
  limits.kinds = std::move(kinds);
  return repair::find_repairs(
      problem,
      [&](const repair::Change&, const std::string& text) {
        repair::Trial trial;
        trial.helps = helps(text);
        return std::optional(trial);
      },
      limits, effort);
}

void RobustRepairs::after_search(Notion notion, RobustResult& result) const {
  if (request_.no_repairs || budget_.spent_now() || !result.counterexample) {
    return;
  }
  const Budget effort = budget_.at_most(kRepairSteps);
  result.repairs = found(
      problem(&*result.counterexample),
      [&](const std::string& text) { return helps(text, notion, effort); }, {},
      effort);
  // Where time was up, none found is no news.
  result.has_tried_repairs = !result.repairs.empty() || !effort.spent_now();
}

void RobustRepairs::after_proof(RobustResult& result) const {
  if (request_.no_repairs || budget_.spent_now()) return;
  const Budget effort = budget_.at_most(kRepairSteps);
  result.repairs = found(
      problem(nullptr),
      [&](const std::string& text) {
        const auto changed = sql::read_open_sql(request_.input, text, false);
        return changed && is_proved(*changed);
      },
      {"unique", "foreign-key"}, effort);
  // The changes that were looked for are few: none is no news.
  result.has_tried_repairs = !result.repairs.empty();
}

}  // namespace txscope::verb
