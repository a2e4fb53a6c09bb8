#include "verify/sql/engine_levels.h"

#include <map>

#include "engine/search/explore_profile.h"
#include "verify/rules.h"
#include "verify/small_inputs.h"
#include "verify/sql/engine_cover.h"
#include "verify/sql/sql_question.h"
#include "verify/sql/with_inputs.h"

namespace txscope::verify {
namespace {

using smt::Term;

constexpr std::uint64_t kActivitySteps = 500'000;  // some seconds
constexpr std::size_t kMostTries = 24;  // inputs run on the engine, per rule

class ProfileVerifier {
 public:
  ProfileVerifier(const sql::Application& application, const Profile& profile,
                  const VerifyOptions& options, const Budget& budget)
      : application_(application),
        profile_(profile),
        options_(options),
        budget_(budget),
        cover_(application, profile) {}

  Result<VerifyResult> run() {
    if (!verify::has_open_inputs(application_)) return run_alone();
    VerifyResult out;
    if (auto error = unroll()) {
      if (!budget_.spent_now()) return std::move(*error);
      return out_of_time();
    }
    for (std::size_t rule = 0; rule < application_.properties.size(); ++rule) {
      out.rows.push_back(decide(rule));
      if (options_.on_verdict) options_.on_verdict(out.rows.back());
    }
    out.bounds.inputs = made_->question.inputs.size();
    out.bounds.rounds =
        made_->question.terms->is_false(made_->question.cut) ? 0 : rounds_;
    out.solver_seconds = seconds_;
    out.checks = checks_;
    if (all_hold(out.rows))
      out.activity = find_activity(made_->question, cover_.base(),
                                   budget_.at_most(kActivitySteps));
    return with_method(std::move(out), "smt (" + smt::solver_version() +
                                           "), confirmed by the engine");
  }

 private:
  VerifyRow row_of(std::size_t rule) const {
    const sql::Property& property = application_.properties[rule];
    VerifyRow row;
    row.level = profile_.name;
    row.property = property.name;
    row.kind = name(property.kind);
    return row;
  }

  [[nodiscard]] VerifyResult out_of_time() const {
    VerifyResult out;
    for (std::size_t rule = 0; rule < application_.properties.size(); ++rule) {
      out.rows.push_back(row_of(rule));
      out.rows.back().why = "time or memory ran out";
    }
    return with_method(std::move(out), "smt (" + smt::solver_version() + ")");
  }

  static VerifyResult with_method(VerifyResult out, std::string method) {
    for (VerifyRow& row : out.rows) row.method = method;
    out.method = std::move(method);
    return out;
  }

  /// Everything is given.
  Result<VerifyResult> run_alone() {
    const auto found = explored(application_);
    if (!found && budget_.spent_now()) return out_of_time();
    if (!found) return found.error();
    VerifyResult out;
    for (std::size_t rule = 0; rule < application_.properties.size(); ++rule) {
      VerifyRow row = row_of(rule);
      switch (found->properties[rule].verdict) {
        case Outcome::Holds: row.verdict = Outcome::Holds; break;
        case Outcome::Violated:
          row.verdict = Outcome::Violated;
          row.counterexample = shown(application_, {}, *found, rule);
          break;
        case Outcome::Undecided: row.why = why_unfinished(*found); break;
      }
      out.rows.push_back(std::move(row));
      if (options_.on_verdict) options_.on_verdict(out.rows.back());
    }
    return with_method(std::move(out), "all runs of the engine");
  }

  static std::string why_unfinished(const Answer& answer) {
    if (answer.counts.cut > 0 && !answer.cut_reason.empty()) {
      return answer.cut_reason;
    }
    return "the engine's runs did not finish";
  }

  Result<Answer> explored(const sql::Application& application) {
    engine::ProfileOptions how;
    how.all = true;
    how.loop_bound = options_.loop_bound;
    return engine::explore_profile(application, profile_, how, budget_);
  }

  static Shown shown(const sql::Application& application,
                     std::vector<InputValue> inputs, const Answer& answer,
                     std::size_t rule) {
    for (const Counterexample& example : answer.counterexamples) {
      if (!example.property || example.property->index != rule) continue;
      auto out = std::make_shared<VerifiedExample>();
      out->inputs = std::move(inputs);
      out->workload = sql::workload_of(application);
      out->example = example;
      return out;
    }
    return nullptr;
  }

  std::optional<Error> unroll() {
    constexpr std::uint64_t kFirstRounds = 4;
    for (rounds_ = std::min(kFirstRounds, options_.loop_bound);;) {
      verify::SqlExecutions executions = cover_.executions(rounds_);
      executions.is_unbounded = options_.is_unbounded;
      auto made = verify::make_sql_question(application_, executions, budget_);
      if (!made) return made.error();
      made_ = std::make_unique<verify::SqlQuestion>(std::move(*made));
      Question& question = made_->question;
      const auto found = find_contradiction(question, budget_);
      if (!found) return found.error();
      if (*found) return contradiction_error(question, **found);
      facts_ = find_executions(question, {cover_.base()}, budget_).front();
      if (facts_.is_cut != smt::Satisfiability::Satisfiable ||
          rounds_ >= options_.loop_bound || budget_.spent_now()) {
        return std::nullopt;
      }
      rounds_ = std::min(rounds_ * 4, options_.loop_bound);
    }
  }

  VerifyRow decide(std::size_t rule) {
    VerifyRow row = row_of(rule);
    Question& question = made_->question;
    const auto solver = make_solver(question, budget_);
    solver->add(question.encoding->is_complete());
    solver->add(question.rules[rule].broken);
    for (const Term f : question.encoding->axioms(cover_.base())) {
      solver->add(f);
    }
    bool is_unfinished = false;
    std::size_t tries = 0;
    for (; tries < kMostTries; ++tries) {
      const smt::Satisfiability answer = solver->check();
      if (answer == smt::Satisfiability::Unknown) {
        row.why = "time or memory ran out after " + counted_inputs(tries);
        break;
      }
      if (answer == smt::Satisfiability::Unsatisfiable) {
        std::string why = cover_.why_not_all(
            *made_, facts_.is_cut != smt::Satisfiability::Unsatisfiable);
        if (why.empty() && is_unfinished)
          why = "some of the engine's runs did not finish";
        if (why.empty()) {
          const bool is_empty =
              facts_.has_execution == smt::Satisfiability::Unsatisfiable;
          row.verdict = Outcome::Holds;
          row.is_vacuous = is_empty;
          if (options_.keeps_evidence)
            row.evidence = std::make_shared<std::string>(solver->smt_lib());
        } else {
          row.why = "none was found to break it; " + why;
        }
        break;
      }
      const smt::Model model = with_small_inputs(question, *solver, budget_);
      if (try_inputs(rule, model, row, is_unfinished)) break;
      solver->add(verify::other_inputs(*made_, model));
    }
    if (tries == kMostTries) {
      row.why = "for all inputs; " + counted_inputs(tries) +
                " were run, and none breaks it";
    }
    seconds_ += solver->statistics().seconds;
    checks_ += solver->statistics().checks;
    return row;
  }

  static std::string counted_inputs(std::size_t n) {
    return std::to_string(n) + (n == 1 ? " input" : " inputs");
  }

  /// Runs the engine; true if the rule breaks.
  bool try_inputs(std::size_t rule, const smt::Model& model, VerifyRow& row,
                  bool& is_unfinished) {
    std::vector<InputValue> inputs = verify::input_values(*made_, model);
    std::string key;
    for (const InputValue& input : inputs) key += input.text + ";";
    const auto [known, is_new] = tried_.try_emplace(key);
    if (is_new) {
      known->second.application =
          verify::with_inputs(application_, *made_, model);
      auto found = explored(known->second.application);
      if (found) known->second.answer = std::move(*found);
    }
    const Tried& tried = known->second;
    if (!tried.answer) {
      is_unfinished = true;
      return false;
    }
    const Outcome verdict = tried.answer->properties[rule].verdict;
    is_unfinished |= verdict == Outcome::Undecided;
    if (verdict != Outcome::Violated) return false;
    row.verdict = Outcome::Violated;
    row.counterexample =
        shown(tried.application, std::move(inputs), *tried.answer, rule);
    return true;
  }

  /// What the engine did with some inputs.
  struct Tried {
    sql::Application application;
    std::optional<Answer> answer;
  };

  const sql::Application& application_;
  const Profile& profile_;
  const VerifyOptions& options_;
  const Budget& budget_;
  const verify::EngineCover cover_;
  std::uint64_t rounds_ = 0;
  std::unique_ptr<verify::SqlQuestion> made_;
  LevelFacts facts_;
  std::map<std::string, Tried> tried_;
  double seconds_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace

Result<VerifyResult> verify_at_profile(const sql::Application& application,
                                       const Profile& profile,
                                       const VerifyOptions& options,
                                       const Budget& budget) {
  return ProfileVerifier(application, profile, options, budget).run();
}

}  // namespace txscope::verify
