#include "verb/program/robust_repairs.h"

#include <iterator>

#include "exec/code.h"
#include "model/product/profile.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "robust/constraint_edits.h"
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
std::string serializable_of(const Profile* profile) {
  if (profile == nullptr) return "";
  for (const Profile& other : profiles()) {
    if (other.product == profile->product && &other != profile &&
        other.isolation == Isolation::Serializable) {
      return std::string(other.name);
    }
  }
  return "";
}

/// A column that no key of the table has.
std::string plain_column(const sql::Application& application,
                         const std::string& table) {
  for (const sql::Table& t : application.schema.tables) {
    if (t.name != table) continue;
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      bool is_key = false;
      for (const auto& unique : t.unique) {
        for (const std::uint32_t k : unique.columns) is_key |= k == c;
      }
      if (!is_key) return t.columns[c].name;
    }
  }
  return "";
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
  const auto code = compile(changed);
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
  const auto inputs = UnserialInputs::make(changed, asked_.level, notion,
                                           asked_.loop_bound, effort);
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
  return application_ == nullptr ? ask(read_txn(request_.input, text))
                                 : ask(read_open_sql(request_.input, text));
}

void RobustRepairs::after_search(Notion notion, RobustResult& result) const {
  if (request_.no_repairs || budget_.spent_now() || !result.counterexample) {
    return;
  }
  const bool is_sql = application_ != nullptr;
  const auto edits = robust::edits_for(
      *result.counterexample, text_, is_sql, asked_.profile != nullptr,
      [this](const std::string& table) {
        return application_ == nullptr ? std::string()
                                       : plain_column(*application_, table);
      });
  const Budget effort = budget_.at_most(kRepairSteps);
  const Helps helps_too = [&](const std::string& text) {
    return helps(text, notion, effort);
  };
  result.repairs = robust::find_repairs(text_, edits, helps_too, effort);
  if (is_sql) try_constraints(helps_too, result);
  if (const std::string level = serializable_of(asked_.profile);
      !level.empty()) {
    auto levels = robust::find_repairs(
        text_, robust::level_edits(*result.counterexample, text_, level),
        helps_too, effort);
    std::move(levels.begin(), levels.end(), std::back_inserter(result.repairs));
  }
  // Where time was up, none found is no news.
  result.has_tried_repairs = !result.repairs.empty() || !effort.spent_now();
}

void RobustRepairs::after_proof(RobustResult& result) const {
  if (request_.no_repairs || budget_.spent_now()) return;
  try_constraints(
      [&](const std::string& text) {
        const auto changed = read_open_sql(request_.input, text, false);
        return changed && is_proved(*changed);
      },
      result);
  // The changes that were looked for are few: none is no news.
  result.has_tried_repairs = !result.repairs.empty();
}

/// Constraints, one at a time.
void RobustRepairs::try_constraints(const Helps& helps,
                                    RobustResult& result) const {
  const Budget effort = budget_.at_most(kRepairSteps);
  for (const robust::Edit& edit :
       robust::constraint_edits(*application_, text_)) {
    if (effort.spent_now() || budget_.spent_now()) return;
    auto repairs = robust::find_repairs(text_, {edit}, helps, effort);
    std::move(repairs.begin(), repairs.end(),
              std::back_inserter(result.repairs));
  }
  result.has_tried_repairs = true;
}

}  // namespace txscope::verb
