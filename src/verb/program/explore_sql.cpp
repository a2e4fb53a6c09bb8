#include "verb/program/explore_sql.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/explain/self_check.h"
#include "engine/search/explore_profile.h"
#include "exec/sql/routine/assumptions.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/read_as.h"
#include "read/sql/sql.h"
#include "report/history_lines.h"
#include "report/page/wrap.h"
#include "transport/outside.h"
#include "verb/answer/certify_answers.h"
#include "verb/input/levels.h"
#include "verb/input/wrong_call.h"
#include "verb/program/explore_repairs.h"
#include "verb/program/history_file.h"
#include "verb/program/repair_time.h"

namespace txscope::verb {
namespace {

/// The levels of whose SQL it is.
Product default_product(std::string_view text) {
  return sql::looks_like_mysql(text) ? Product::MariaDb : Product::PostgreSql;
}

/// Options that engine profiles do not have are refused, not ignored.
std::optional<Error> refusal(const ExploreRequest& request,
                             const AskedLevels& asked) {
  const std::string hint = "choose a theoretical level: --level causal";
  if (request.outcomes)
    return wrong_call("--outcomes is for .txn programs", "");
  if (!request.histories.empty() &&
      (asked.theory.size() != 1 || !asked.profiles.empty())) {
    return wrong_call("--histories needs one level, and no engine's", hint);
  }
  if (asked.profiles.empty()) return std::nullopt;
  if (!request.algorithm.empty()) {
    return wrong_call("--algorithm does not apply to an engine's levels", hint);
  }
  if (request.jobs > 1) {
    return wrong_call("--jobs does not apply to an engine's levels", hint);
  }
  if (request.self_check) {
    return wrong_call("--self-check does not apply to an engine's levels",
                      hint);
  }
  return std::nullopt;
}

class SqlVerb {
 public:
  SqlVerb(const ExploreRequest& request, AskedLevels asked,
          explore::Algorithm algorithm, const Budget& budget)
      : request_(request),
        asked_(std::move(asked)),
        algorithm_(algorithm),
        budget_(budget),
        jobs_(static_cast<unsigned>(
            std::clamp<std::uint64_t>(request.jobs, 1, 256))) {}

  Result<ExploreDetail> run(std::string text, Report& report) {
    text_ = text;
    std::vector<Error> others;
    auto application =
        sql::read_sql(request_.input, std::move(text), true, &others);
    if (!application) {
      if (request_.listener.on_more_errors)
        request_.listener.on_more_errors(others);
      return application.error();
    }
    application_ = std::move(*application);
    application_.notes.insert(application_.notes.end(), asked_.notes.begin(),
                              asked_.notes.end());
    report.notes = application_.notes;
    if (auto no = sql::failed_assumption(application_, budget_)) return *no;
    request_.listener.questions(questions());
    if (auto ok = run_theory(); !ok) return ok.error();
    if (transport::is_helper()) return ExploreDetail();  // rank 0 does the rest
    if (auto ok = run_profiles(); !ok) return ok.error();
    return finish();
  }

 private:
  [[nodiscard]] std::vector<Promise> questions() const {
    std::vector<Promise> all;
    for (const Base base : asked_.theory)
      all.push_back({std::string(name(base)), "", Promise::Known::Nothing});
    for (const Profile* profile : asked_.profiles)
      all.push_back({std::string(profile->name), "", Promise::Known::Nothing});
    return all;
  }

  void promise(const Answer& answer) const {
    // A serial order that is broken counts as a rule does.
    const bool is_broken = std::any_of(
        answer.builtins.begin(), answer.builtins.end(),
        [](const auto& row) { return row.verdict == Outcome::Violated; });
    request_.listener.decided(
        {answer.level, "",
         is_broken ? Promise::Known::Violated : known(answer.outcome)});
  }

  Result<Done> run_theory() {
    if (asked_.theory.empty()) return Done{};
    HistoryFile histories(transport::is_helper() ? "" : request_.histories);
    if (histories.is_wanted() && !histories.is_open()) {
      return histories.failed();
    }
    explore::ExploreOptions how;
    how.levels = asked_.theory;
    how.loop_bound = request_.loop_bound;
    how.all = request_.all || request_.count;
    how.algorithm = algorithm_;
    how.jobs = jobs_;
    how.self_check = request_.self_check;
    std::optional<transport::Group> ranks;
    if (transport::outside() != nullptr) {
      ranks.emplace(*transport::outside());
      how.ranks = &*ranks;
    }
    explore::OnSqlHistory on_history;
    if (histories.is_wanted()) {
      on_history = [&](const explore::SqlExploration& e,
                       const explore::ExploredHistory& history) {
        histories.write(
            report::history_lines(e.workload(), e.script(), history));
      };
    }
    if (request_.listener.on_progress) {
      how.on_progress = [this](const explore::ExploreProgress& now) {
        request_.listener.on_progress(report::grouped(now.end_states) +
                                      " end states");
      };
    }
    auto result = explore::explore_sql(application_, how, budget_, on_history);
    if (!result) return result.error();
    exploration_ = std::move(*result);
    for (const Answer& answer : exploration_->answers()) promise(answer);
    return histories.finish(!is_cut_short(exploration_->answers()));
  }

  Result<Done> run_profiles() {
    if (asked_.profiles.empty()) return Done{};
    const auto ready =
        sql::ReadyApplication::make(application_, request_.loop_bound, budget_);
    if (!ready) return ready.error();
    for (const Profile* profile : asked_.profiles) {
      engine::ProfileOptions how = profile_options();
      if (request_.listener.on_progress) {
        how.on_progress = [this, profile](const engine::ProfileProgress& now) {
          request_.listener.on_progress(
              std::string(profile->name) + ": " + report::grouped(now.states) +
              " states, " + report::grouped(now.outcomes) + " outcomes");
        };
      }
      how.on_answer = [this](const Answer& answer) { promise(answer); };
      auto result =
          *ready
              ? engine::explore_profile(**ready, *profile, how, budget_)
              : engine::explore_profile(application_, *profile, how, budget_);
      if (!result) return result.error();
      profiles_.push_back(std::move(*result));
    }
    return Done{};
  }

  [[nodiscard]] engine::ProfileOptions profile_options() const {
    engine::ProfileOptions how;
    how.all = request_.all || request_.count;
    how.loop_bound = request_.loop_bound;
    how.builtins = engine::SerialSense::Outcome;
    return how;
  }

  Result<ExploreDetail> finish() {
    ExploreDetail found;
    if (exploration_) found.answers = exploration_->answers();
    find_repairs();
    found.answers.insert(found.answers.end(), profiles_.begin(),
                         profiles_.end());
    found.workload = sql::workload_of(application_);
    if (request_.certify)
      if (auto ok = certify(found.workload, found.answers); !ok)
        return ok.error();
    if (any_holds(found.answers)) {
      const Profile* profile =
          asked_.profiles.empty()
              ? &txscope::profile_of(Product::PostgreSql,
                                     Isolation::ReadCommitted)
              : asked_.profiles.front();
      found.seen =
          observe(application_, *profile, request_.loop_bound, budget_);
    }
    found.application = std::move(application_);
    return found;
  }

  Result<Done> certify(const Workload& workload, std::vector<Answer>& answers) {
    const Budget budget = budget_.with_grace();
    if (auto ok = certify_answers(workload, budget, answers); !ok) {
      return ok.error();
    }
    const std::size_t first = answers.size() - asked_.profiles.size();
    for (std::size_t i = 0; i < asked_.profiles.size(); ++i) {
      engine::SelfCheck checked = engine::self_check(
          application_, *asked_.profiles[i], request_.loop_bound, budget_);
      Answer& answer = answers[first + i];
      if (checked.problem) {
        return does_not_stand(workload.file, answer.level, *checked.problem);
      }
      for (std::string& what : checked.done) {
        answer.certified.push_back(std::move(what));
      }
    }
    return Done{};
  }

  static bool breaks_rule(const Answer& answer) {
    return std::any_of(answer.properties.begin(), answer.properties.end(),
                       [](const PropertyAnswer& row) {
                         return row.verdict == Outcome::Violated;
                       });
  }

  void find_repairs() {
    const Budget effort = budget_.at_most(kRepairSteps);
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      for (Counterexample& example : profiles_[i].counterexamples) {
        if (effort.spent_now()) return;
        // What repairs a broken rule comes first.
        if (example.builtin == Builtin::OneAfterTheOther &&
            breaks_rule(profiles_[i]))
          continue;
        example.repairs = explore_repairs(
            {request_.input, text_, application_, *asked_.profiles[i],
             profile_options(), profiles_,
             [this](const Profile& p) { return asked_.offers(p); }},
            example, effort);
      }
    }
  }

  const ExploreRequest& request_;
  const AskedLevels asked_;
  const explore::Algorithm algorithm_;
  const Budget& budget_;
  const unsigned jobs_;
  std::string text_;
  sql::Application application_;
  std::unique_ptr<explore::SqlExploration> exploration_;
  std::vector<Answer> profiles_;  // by asked_.profiles
};

}  // namespace

Result<ExploreDetail> explore_sql_text(const ExploreRequest& request,
                                       std::string text, const Budget& budget,
                                       Report& report) {
  auto asked = asked_levels(request.level.empty()
                                ? std::string(name(default_product(text)))
                                : request.level,
                            true);
  if (!asked) return asked.error();
  if (auto no = refusal(request, *asked)) return *no;
  const auto algorithm = algorithm_of(request);
  if (!algorithm) return algorithm.error();
  return SqlVerb(request, std::move(*asked), *algorithm, budget)
      .run(std::move(text), report);
}

}  // namespace txscope::verb
