#include "cli/explore_sql.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/certify_answers.h"
#include "cli/diagnostics.h"
#include "cli/history_file.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "engine/explore_profile.h"
#include "engine/repair.h"
#include "engine/self_check.h"
#include "exec/sql/assumptions.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "report/answer_report.h"
#include "report/history_lines.h"
#include "report/wrap.h"

namespace txscope::cli {
namespace {

constexpr const char* kDefaultLevels = "postgresql";

/// Options that engine profiles do not have are refused, not ignored.
std::optional<Error> refusal(const Options& options, const AskedLevels& asked) {
  const std::string hint = "choose a theoretical level: --level causal";
  if (options.outcomes)
    return wrong_call("--outcomes is for .txn programs", "");
  if (!options.histories.empty() &&
      (asked.theory.size() != 1 || !asked.profiles.empty())) {
    return wrong_call("--histories needs one level, and no engine's", hint);
  }
  if (asked.profiles.empty()) return std::nullopt;
  if (!options.algorithm.empty()) {
    return wrong_call("--algorithm does not apply to an engine's levels", hint);
  }
  if (options.jobs > 1) {
    return wrong_call("--jobs does not apply to an engine's levels", hint);
  }
  if (options.self_check) {
    return wrong_call("--self-check does not apply to an engine's levels",
                      hint);
  }
  return std::nullopt;
}

class SqlVerb {
 public:
  SqlVerb(const Options& options, AskedLevels asked, Algorithm algorithm,
          const Budget& budget)
      : options_(options),
        asked_(std::move(asked)),
        algorithm_(algorithm),
        budget_(budget),
        progress_(std::make_unique<Progress>()),
        jobs_(static_cast<unsigned>(
            std::clamp<std::uint64_t>(options.jobs, 1, 256))) {}

  Result<int> run(std::string text) {
    std::vector<Error> others;
    auto application = read_sql(options_.input, std::move(text), true, &others);
    if (!application) {
      progress_.reset();
      others.insert(others.begin(), application.error());
      return report_errors(others);
    }
    application_ = std::move(*application);
    application_.notes.insert(application_.notes.end(), asked_.notes.begin(),
                              asked_.notes.end());
    report_notes(application_.notes);
    if (auto no = sql::failed_assumption(application_, budget_)) return *no;
    if (auto ok = run_theory(); !ok) return ok.error();
    if (auto ok = run_profiles(); !ok) return ok.error();
    progress_.reset();  // takes its line off the terminal
    return report();
  }

 private:
  Result<Done> run_theory() {
    if (asked_.theory.empty()) return Done{};
    HistoryFile histories(options_.histories);
    if (histories.is_wanted() && !histories.is_open()) {
      return histories.failed();
    }
    ExploreOptions how;
    how.levels = asked_.theory;
    how.loop_bound = options_.loop_bound;
    how.all = options_.all;
    how.algorithm = algorithm_;
    how.jobs = jobs_;
    how.self_check = options_.self_check;
    sql::OnSqlHistory on_history;
    if (histories.is_wanted()) {
      on_history = [&](const sql::SqlExploration& e,
                       const ExploredHistory& history) {
        histories.write(history_lines(e.workload(), e.script(), history));
      };
    }
    if (progress_->is_visible()) {
      how.on_progress = [this](const ExploreProgress& now) {
        progress_->show(grouped(now.end_states) + " end states");
      };
    }
    auto result = sql::explore_sql(application_, how, budget_, on_history);
    if (!result) return result.error();
    exploration_ = std::move(*result);
    return histories.finish(!is_cut_short(exploration_->answers()));
  }

  Result<Done> run_profiles() {
    if (asked_.profiles.empty()) return Done{};
    const auto ready =
        sql::ReadyApplication::make(application_, options_.loop_bound, budget_);
    if (!ready) return ready.error();
    for (const engine::Profile* profile : asked_.profiles) {
      engine::ProfileOptions how = profile_options();
      if (progress_->is_visible()) {
        how.on_progress = [this, profile](const engine::ProfileProgress& now) {
          progress_->show(std::string(profile->name) + ": " +
                          grouped(now.states) + " states, " +
                          grouped(now.outcomes) + " outcomes");
        };
      }
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
    how.all = options_.all;
    how.loop_bound = options_.loop_bound;
    how.builtins = engine::SerialSense::Outcome;
    return how;
  }

  Result<int> report() {
    std::vector<Answer> answers;
    if (exploration_) answers = exploration_->answers();
    find_repairs();
    answers.insert(answers.end(), profiles_.begin(), profiles_.end());
    const Workload workload = sql::workload_of(application_);
    if (options_.certify) {
      if (auto ok = certify(workload, answers); !ok) return ok.error();
    }
    const AnswerReport report{
        options_.input, &workload,           &answers,
        &application_,  options_.loop_bound, options_.all};
    if (auto ok = write_reports(options_, "explore", report); !ok) {
      return ok.error();
    }
    return status_of(outcome_of(answers));
  }

  Result<Done> certify(const Workload& workload, std::vector<Answer>& answers) {
    const Budget budget = budget_.with_grace();
    if (auto ok = certify_answers(workload, budget, answers); !ok) {
      return ok.error();
    }
    const std::size_t first = answers.size() - asked_.profiles.size();
    for (std::size_t i = 0; i < asked_.profiles.size(); ++i) {
      engine::SelfCheck checked = engine::self_check(
          application_, *asked_.profiles[i], options_.loop_bound, budget_);
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

  void find_repairs() {
    const Budget effort = budget_.at_most(kRepairTime);
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      for (Counterexample& example : profiles_[i].counterexamples) {
        if (effort.spent_now()) return;
        if (example.builtin == Builtin::NoDeadlock) continue;
        if (example.builtin && !application_.properties.empty()) continue;
        example.repairs =
            engine::find_repairs(application_, *asked_.profiles[i], example,
                                 profiles_, profile_options(), effort);
      }
    }
  }

  const Options& options_;
  const AskedLevels asked_;
  const Algorithm algorithm_;
  const Budget& budget_;
  std::unique_ptr<Progress> progress_;
  const unsigned jobs_;
  sql::Application application_;
  std::unique_ptr<sql::SqlExploration> exploration_;
  std::vector<Answer> profiles_;  // by asked_.profiles
};

}  // namespace

int run_explore_sql(const Options& options, std::string text,
                    const Budget& budget) {
  auto asked = asked_levels(
      options.level.empty() ? kDefaultLevels : options.level, true);
  if (!asked) return report_error(asked.error());
  if (auto no = refusal(options, *asked)) return report_error(*no);
  const auto algorithm = algorithm_of(options);
  if (!algorithm) return report_error(algorithm.error());
  const auto status = SqlVerb(options, std::move(*asked), *algorithm, budget)
                          .run(std::move(text));
  if (!status) return report_error(status.error());
  return *status;
}

}  // namespace txscope::cli
