#include "txscope/robust.h"

#include <memory>

#include "exec/sql/routine/assumptions.h"
#include "model/product/profile.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "report/page/wrap.h"
#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/caught_failures.h"
#include "robust/proof/program_proof.h"
#include "robust/proof/proof_run.h"
#include "robust/proof/prover.h"
#include "robust/result.h"
#include "robust/search_sql.h"
#include "verb/answer/evidence.h"
#include "verb/answer/vacuity.h"
#include "verb/input/program_file.h"
#include "verb/input/wrong_call.h"
#include "verb/program/robust_question.h"
#include "verb/program/robust_repairs.h"
#include "verify/sql/sql_inputs.h"
#include "verify/sql/with_inputs.h"
#include "verify/unserial_inputs.h"

namespace txscope::verb {
namespace {

using robust::Granularity;
using robust::Method;
using robust::Notion;
using robust::RobustReport;
using robust::RobustResult;

class RobustVerb {
 public:
  RobustVerb(const RobustRequest& request, std::string text,
             const Budget& budget)
      : request_(request), text_(std::move(text)), budget_(budget) {}

  Result<RobustReport> run() {
    is_sql_ = is_sql(request_.input, text_);
    auto asked = asked_of(request_, is_sql_);
    if (!asked) return asked.error();
    asked_ = *asked;
    report_.input = request_.input;
    request_.listener.questions(
        {{asked_.against(), "session", Promise::Known::Nothing}});
    if (auto ok = is_sql_ ? run_sql() : run_txn(); !ok) return ok.error();
    return std::move(report_);
  }

 private:
  static void fill(const robust::SearchAnswer& from, RobustResult& to) {
    to.answer = from.answer;
    to.why = from.why;
    if (to.answer == Outcome::Undecided && to.why.empty())
      to.why = robust::why_undecided(Spent::Nothing);
    to.effort = from.is_reduced
                    ? report::counted(from.executions, "state") +
                          " of serial runs with one delayed transaction"
                    : report::counted(from.executions, "complete execution");
  }

  Result<Done> run_txn() {
    if (request_.allocate) {
      return wrong_call("--allocate needs an application in SQL",
                        "for a .txn program, use --against with one level");
    }
    const auto program = read_program(request_.input, text_);
    if (!program) return program.error();
    consider(workload_of(*program));
    if (asked_.method == Method::Proof) return prove_program(*program);
    if (!program->arbitrary) {
      if (auto no = verify::failed_assumption(*program)) return *no;
      return by_notions(
          [&](Notion notion) { return search_program(*program, notion); });
    }
    return by_notions([&](Notion notion) -> Result<RobustResult> {
      auto inputs = verify::UnserialInputs::make(*program, asked_.level, notion,
                                                 request_.loop_bound, budget_);
      if (!inputs) return inputs.error();
      return search_inputs(**inputs, notion, [&](const auto& choice) {
        return search_program(choice.program, notion);
      });
    });
  }

  /// In any number of sessions.
  Result<Done> prove_program(const Program& program) {
    if (!asked_.pivot()) return no_proof();
    report_.results.push_back(robust::prove_program(
        program, asked_.proved(), request_.loop_bound, budget_));
    return Done{};
  }
  [[nodiscard]] Error no_proof() const {
    return wrong_call(
        "there is no proof for '" + asked_.against() + "' and notion " +
            std::string(name(asked_.notion)),
        is_sql_ ? "snapshot-isolation with notion trace, "
                  "postgresql:read-committed, postgresql:repeatable-read; or "
                  "--method search"
                : "snapshot-isolation with notion trace; or --method search");
  }

  Result<RobustResult> search_program(const Program& program, Notion notion) {
    const auto code = exec::compile(program);
    if (!code) return code.error();
    const auto asked = asked_.search(notion);
    const auto found = robust::search(*code, asked, budget_);
    RobustResult result = asked_.searched(notion);
    fill(found, result);
    if (found.answer != Outcome::Violated) {
      if (found.executions == 0)
        result.vacuous_because =
            code->has_assumptions ? kNoneAssumed : kNoExecution;
      judge_vacuity(program.sessions.size(), result, [&] {
        return observe(program, asked_.level, request_.loop_bound, budget_);
      });
      return result;
    }
    promise(result);
    const Workload workload = workload_of(program);
    result.counterexample =
        robust::explain(explore::ProgramSubject(workload, *code), asked, found,
                        nullptr, budget_);
    if (is_first_notion()) repairs().after_search(notion, result);
    return result;
  }

  /// Whom the answer is about: transactions, or types of them.
  void consider(const Workload& workload) {
    for (const CallRef call : workload.calls())
      report_.considered.push_back(workload.name(call));
  }
  void consider_types() {
    report_.are_types = true;
    report_.considered = robust::type_names(
        application_, robust::transaction_types(application_));
    for (const sql::RoutineId id : robust::functions_inside(application_))
      report_.inside.push_back(application_.at(id).name);
  }

  /// The notion asked for; trace by default, and after a "no" what clients can
  /// see.
  template <class Judge>
  Result<Done> by_notions(const Judge& judge) {
    std::vector<Notion> notions = {asked_.notion};
    if (!asked_.has_notion && asked_.profile == nullptr)
      notions.push_back(Notion::Outcome);
    for (const Notion notion : notions) {
      auto result = judge(notion);
      if (!result) return result.error();
      report_.results.push_back(std::move(*result));
      if (report_.results.back().answer != Outcome::Violated) break;
    }
    return Done{};
  }

  [[nodiscard]] bool is_first_notion() const { return report_.results.empty(); }

  Result<Done> run_sql() {
    auto application = sql::read_open_sql(request_.input, text_,
                                          asked_.method == Method::Search);
    if (!application) return application.error();
    application_ = std::move(*application);
    consider(sql::workload_of(application_));
    // Functions run inside transactions; which ones, a session says.
    if (application_.sessions.empty() &&
        robust::transaction_types(application_).empty()) {
      return Error{{request_.input, 1, 1, std::nullopt},
                   "the file has no session and no procedure",
                   "say who runs what, as in --@ session alice: CALL "
                   "withdraw(1, 100);",
                   {}};
    }
    const std::optional<Error> unread = unread_type();
    if (unread && (request_.allocate || asked_.method == Method::Proof ||
                   application_.sessions.empty() || application_.arbitrary)) {
      return *unread;
    }
    if (auto no = unsatisfied()) return *no;
    if (request_.allocate) return allocate();
    const auto pivot = unread ? std::nullopt : asked_.pivot();
    if (asked_.method == Method::Proof && !pivot) return no_proof();
    if (pivot && asked_.method != Method::Search) {
      const bool is_answered = prove(*pivot);
      if (is_answered || asked_.method == Method::Proof ||
          application_.sessions.empty()) {
        return Done{};
      }
    }
    if (application_.sessions.empty()) {
      return wrong_call("the file has no session, and there is no proof for '" +
                            asked_.against() + "'",
                        "say who runs what, as in --@ session alice: CALL "
                        "withdraw(1, 100);");
    }
    const bool is_open = application_.arbitrary.has_value();
    auto ok = by_notions([&](Notion notion) {
      return is_open ? search_open_sessions(notion) : search_sessions(notion);
    });
    if (!ok) return ok;
    // What the sessions show is the answer; what the proof left is a remark.
    if (unproved_ && report_.results.front().answer != Outcome::Violated) {
      report_.results.front().open_cycles = unproved_->open_cycles;
      report_.results.front().safe_together = unproved_->safe_together;
    }
    return ok;
  }

  /// Assumptions that the setup, or no input, satisfies: nothing would be run.
  [[nodiscard]] std::optional<Error> unsatisfied() const {
    return verify::has_open_inputs(application_)
               ? verify::contradiction_of(application_, budget_)
               : sql::failed_assumption(application_, budget_);
  }

  /// A transaction type whose body could not be read: nothing can be proved of
  /// all types together.
  [[nodiscard]] std::optional<Error> unread_type() const {
    for (const sql::RoutineId id : robust::transaction_types(application_)) {
      const sql::Routine& routine = application_.at(id);
      if (routine.problem == nullptr) continue;
      return Error{
          application_.place(routine.at),
          "'" + routine.name + "' could not be read: " + routine.problem->what +
              " (line " + std::to_string(routine.problem->where.line) + ")",
          "a proof is about every routine of the file: leave this "
          "one out, or name sessions for --method search",
          std::string(application_.line(routine.at))};
    }
    return std::nullopt;
  }

  Result<RobustResult> search_sessions(Notion notion) {
    auto result = asked_.profile != nullptr ? search_profile(notion)
                                            : search_rows(notion);
    if (!result || result->answer != Outcome::Holds) return result;
    judge_vacuity(application_.sessions.size(), *result, [&] {
      const Profile* profile =
          asked_.profile != nullptr
              ? asked_.profile
              : &txscope::profile_of(Product::PostgreSql,
                                     Isolation::RepeatableRead);
      return observe(application_, *profile, request_.loop_bound, budget_);
    });
    return result;
  }

  Result<RobustResult> search_open_sessions(Notion notion) {
    if (!open_) open_ = std::move(application_);
    auto inputs = asked_.choices(*open_, notion, budget_);
    if (!inputs) return inputs.error();
    return search_inputs(**inputs, notion, [&](auto& choice) {
      application_ = std::move(choice.application);
      return search_sessions(notion);
    });
  }

  /// Why transactions that are robust for all inputs say nothing.
  static std::string why_nothing(const verify::Activity& seen) {
    if (!seen.is_known) return "";
    if (seen.never_commit.size() == seen.transactions)
      return "no transaction ever commits, whatever the inputs";
    if (!seen.sessions_meet)
      return "no two sessions meet on a row that one of them changes, whatever "
             "the inputs";
    return "";
  }

  /// Choices of open inputs, until one shows something or there are no others.
  template <class Inputs, class Search>
  Result<RobustResult> search_inputs(Inputs& inputs, Notion notion,
                                     const Search& search) {
    std::size_t searched = 0;
    std::string why;
    while (searched < kMostInputs && !budget_.spent_now()) {
      auto choice = inputs.next();
      if (!choice) break;
      ++searched;
      auto found = search(*choice);
      if (!found) return found.error();
      if (found->answer == Outcome::Undecided && why.empty()) why = found->why;
      if (found->answer != Outcome::Violated) continue;
      for (const verify::InputValue& input : choice->values)
        found->inputs.emplace_back(input.name, input.text);
      return found;
    }
    RobustResult result = asked_.searched(notion);
    result.bounds = inputs.bounds();
    const bool is_all = inputs.is_exhausted() && why.empty();
    result.answer = is_all ? Outcome::Holds : Outcome::Undecided;
    result.effort = report::counted(searched, "choice") + " of inputs";
    if (is_all) {
      if (const auto seen = inputs.activity())
        result.vacuous_because = why_nothing(*seen);
    }
    if (is_all && result.bounds) {
      result.effort = "the executions for all inputs, with a solver";
    } else if (is_all) {
      result.effort += ", all there are";
    } else {
      result.why = !why.empty() ? why
                   : budget_.spent_now()
                       ? robust::why_undecided(budget_.reason())
                       : inputs.why();
    }
    return result;
  }

  /// Robust of nothing is no answer.
  template <class Observe>
  static void judge_vacuity(std::size_t sessions, RobustResult& result,
                            const Observe& observe) {
    if (result.answer != Outcome::Holds) result.vacuous_because.clear();
    if (result.answer != Outcome::Holds || !result.vacuous_because.empty())
      return;
    const Observation seen = observe();
    result.vacuous_because = why_nothing_happens(seen);
    if (result.vacuous_because.empty())
      result.vacuous_because = why_nothing_concurrent(sessions, seen);
  }

  /// What is known stays known, however long repairs take.
  void promise(const RobustResult& result) const {
    if (!is_first_notion()) return;
    request_.listener.decided(
        {asked_.against(), "session", known(result.answer),
         std::string(robust::verdict_word(result.answer))});
  }

  [[nodiscard]] RobustRepairs repairs() const {
    return {request_, asked_, text_, is_sql_ ? &application_ : nullptr,
            budget_};
  }

  Result<RobustResult> search_rows(Notion notion) {
    const auto asked = asked_.search(notion);
    auto found = robust::search_sql(application_, asked, budget_);
    if (!found) return found.error();
    RobustResult result = asked_.searched(notion);
    fill(found->answer, result);
    if (result.answer == Outcome::Holds && found->answer.executions == 0)
      result.vacuous_because = kNoExecution;
    if (found->answer.answer != Outcome::Violated) return result;
    promise(result);
    const auto& rows = *found->exploration;
    result.counterexample =
        robust::explain(rows, asked, found->answer, &application_, budget_);
    if (is_first_notion()) repairs().after_search(notion, result);
    return result;
  }

  /// Any number of sessions.  False if it only left a remark: the sessions of
  /// the file can be searched instead.
  bool prove(robust::PivotLevel pivot) {
    robust::ProofRun proof(application_, asked_.profile, pivot,
                           request_.loop_bound, budget_);
    RobustResult result = proof.prove(asked_.proved());
    if (result.answer == Outcome::Undecided && asked_.method == Method::Auto &&
        !application_.sessions.empty()) {
      unproved_ = std::move(result);
      return false;
    }
    if (result.answer == Outcome::Undecided) proof.find_client(result);
    promise(result);
    consider_types();
    if (result.answer != Outcome::Holds) repairs().after_proof(result);
    report_.results.push_back(std::move(result));
    return true;
  }

  Result<Done> allocate() {
    consider_types();
    const auto types = robust::transaction_types(application_);
    robust::Prover prover(application_, types,
                          asked_.granularity.value_or(Granularity::Result),
                          true, budget_);
    report_.allocation = robust::allocate(prover);
    report_.is_allocation_cut = prover.has_given_up();
    if (!report_.is_allocation_cut && !prover.can_write())
      report_.vacuous_allocation = robust::kNobodyWrites;
    for (std::size_t t = 0; t < types.size(); ++t) {
      const auto caught = robust::caught_failure(application_, types[t]);
      if (!caught || !report_.allocation_problem.empty()) continue;
      report_.allocation_problem =
          prover.names()[t] +
          " continues after a serialization failure that it catches (line " +
          std::to_string(caught->line) +
          "), and no order explains what it does then, at any level; raise "
          "40001 and 40P01 again there";
    }
    return Done{};
  }

  Result<RobustResult> search_profile(Notion notion) {
    auto found = robust::search_profile(application_, *asked_.profile, notion,
                                        request_.loop_bound, budget_);
    if (!found) return found.error();
    RobustResult result = asked_.searched(notion);
    result.answer = found->answer;
    result.why = found->why;
    result.effort =
        report::counted(found->outcomes, "outcome") + " of the engine";
    if (result.answer == Outcome::Holds && found->outcomes == 0)
      result.vacuous_because = kNoExecution;
    result.counterexample = std::move(found->counterexample);
    if (result.answer == Outcome::Violated) {
      promise(result);
      repairs().after_search(notion, result);
    }
    return result;
  }

  const RobustRequest& request_;
  const std::string text_;
  const Budget& budget_;
  bool is_sql_ = false;
  RobustQuestion asked_;
  sql::Application application_;
  std::optional<sql::Application> open_;  ///< before inputs were chosen
  std::optional<RobustResult> unproved_;
  RobustReport report_;
};

/// The first answers what was asked; others say what it means.
std::vector<Finding> findings_of(const RobustReport& report) {
  std::vector<Finding> all;
  for (const RobustResult& result : report.results) {
    Finding finding;
    finding.input = report.input;
    finding.level = result.against;
    finding.order = "session";
    finding.property = "robust by " + std::string(name(result.notion));
    finding.about = About::Serial;
    finding.outcome = result.answer;
    finding.vacuous_because = result.vacuous_because;
    finding.why =
        result.counterexample ? result.counterexample->anomaly : result.why;
    finding.is_aside = !all.empty();
    all.push_back(std::move(finding));
  }
  if (!all.empty()) return all;
  Finding finding;
  finding.input = report.input;
  finding.property = "allocation";
  finding.about = About::Serial;
  finding.why = report.allocation_problem;
  finding.vacuous_because = report.vacuous_allocation;
  finding.outcome =
      report.is_allocation_cut || !report.allocation_problem.empty()
          ? Outcome::Undecided
          : Outcome::Holds;
  return {finding};
}

}  // namespace

Result<Report> robust(const RobustRequest& request, const Budget& budget) {
  auto text = program_text(request);
  if (!text) return text.error();
  auto found = RobustVerb(request, std::move(*text), budget).run();
  if (!found) return found.error();
  Report report;
  report.verb = "robust";
  report.inputs = {request.input};
  report.findings = findings_of(*found);
  report.checked.considered = found->considered;
  report.checked.transactions = found->considered.size();
  report.checked.rules = 1;
  if (!report.findings.empty())
    report.checked.vacuous_because = report.findings.front().vacuous_because;
  conclude(report, RobustDetail{std::move(*found)});
  return report;
}

}  // namespace txscope::verb
