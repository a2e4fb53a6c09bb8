#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/diagnostics.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/robust_question.h"
#include "cli/robust_repairs.h"
#include "cli/verbs.h"
#include "engine/profile.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "report/robust_report.h"
#include "report/wrap.h"
#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/caught_failures.h"
#include "robust/proof/proof_run.h"
#include "robust/proof/prover.h"
#include "robust/result.h"
#include "robust/search_sql.h"
#include "verify/unserial_inputs.h"

namespace txscope::cli {
namespace {

using robust::Answer;
using robust::Granularity;
using robust::Method;
using robust::Notion;
using robust::RobustReport;
using robust::RobustResult;

class RobustVerb {
 public:
  RobustVerb(const Options& options, std::string text, Budget::Limits limits)
      : options_(options), text_(std::move(text)), budget_(limits) {}

  Result<int> run() {
    is_sql_ = is_sql(options_.input, text_);
    auto asked = asked_of(options_, is_sql_);
    if (!asked) return asked.error();
    asked_ = *asked;
    report_.input = options_.input;
    if (auto ok = is_sql_ ? run_sql() : run_txn(); !ok) return ok.error();
    return write();
  }

 private:
  static void fill(const robust::SearchAnswer& from, RobustResult& to) {
    to.answer = from.answer;
    to.why = from.why;
    if (to.answer == Answer::Undecided && to.why.empty())
      to.why = robust::why_undecided(Spent::Nothing);
    to.effort = from.is_reduced
                    ? counted(from.executions, "state") +
                          " of serial runs with one delayed transaction"
                    : counted(from.executions, "complete execution");
  }

  Result<Done> run_txn() {
    if (options_.allocate) {
      return wrong_call("--allocate needs an application in SQL",
                        "of a .txn program ask --against one level");
    }
    if (asked_.method == Method::Proof) {
      return wrong_call("a .txn program is searched, not proved",
                        "--method search; applications in SQL can be proved");
    }
    const auto program = read_program(options_.input, text_);
    if (!program) return program.error();
    if (!program->arbitrary) {
      if (auto no = failed_assumption(*program)) return *no;
      return by_notions([&](Notion notion) {
        return search_program(*program, notion);
      });
    }
    return by_notions([&](Notion notion) -> Result<RobustResult> {
      auto inputs = UnserialInputs::make(*program, asked_.level, notion,
                                         options_.loop_bound, budget_);
      if (!inputs) return inputs.error();
      return search_inputs(**inputs, notion, [&](const auto& choice) {
        return search_program(choice.program, notion);
      });
    });
  }

  Result<RobustResult> search_program(const Program& program, Notion notion) {
    const auto code = compile(program);
    if (!code) return code.error();
    const auto asked = asked_.search(notion);
    const auto found = robust::search(*code, asked, budget_);
    RobustResult result = asked_.searched(notion);
    fill(found, result);
    if (found.answer != Answer::NotRobust) return result;
    const Workload workload = workload_of(program);
    result.counterexample = robust::explain(ProgramSubject(workload, *code),
                                            asked, found, nullptr, budget_);
    if (is_first_notion()) repairs().after_search(notion, result);
    return result;
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
      if (report_.results.back().answer != Answer::NotRobust) break;
    }
    return Done{};
  }

  [[nodiscard]] bool is_first_notion() const { return report_.results.empty(); }

  Result<Done> run_sql() {
    auto application =
        read_open_sql(options_.input, text_, asked_.method == Method::Search);
    if (!application) return application.error();
    application_ = std::move(*application);
    // Functions run inside transactions; which ones, a session says.
    if (application_.sessions.empty() &&
        robust::transaction_types(application_).empty()) {
      return Error{{options_.input, 1, 1, std::nullopt},
                   "the file has no session and no procedure",
                   "say who runs what, as in --@ session alice: CALL "
                   "withdraw(1, 100);",
                   {}};
    }
    const std::optional<Error> unread = unread_type();
    if (unread && (options_.allocate || asked_.method == Method::Proof ||
                   application_.sessions.empty() || application_.arbitrary)) {
      return *unread;
    }
    if (options_.allocate) return allocate();
    const auto pivot = unread ? std::nullopt : asked_.pivot();
    if (asked_.method == Method::Proof && !pivot) {
      return wrong_call(
          "there is no proof for '" + asked_.against() + "' and notion " +
              std::string(name(asked_.notion)),
          "snapshot-isolation with notion trace, postgresql:read-committed, "
          "postgresql:repeatable-read; or --method search");
    }
    if (asked_.granularity && *asked_.granularity != Granularity::Row &&
        asked_.method == Method::Search) {
      return wrong_call("the search works by rows",
                        "--granularity row, or --method proof");
    }
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
    if (unproved_ && report_.results.front().answer != Answer::NotRobust) {
      report_.results.front().open_cycles = unproved_->open_cycles;
      report_.results.front().safe_together = unproved_->safe_together;
    }
    answer_granularity();
    return ok;
  }

  /// What is robust by rows is so by columns and by results; what is not may be,
  /// unless what clients are shown says so, too.
  void answer_granularity() {
    RobustResult& found = report_.results.front();
    const Granularity wanted = asked_.granularity.value_or(found.granularity);
    if (wanted == found.granularity) return;
    if (found.answer != Answer::NotRobust) {
      found.granularity = wanted;
      return;
    }
    if (auto shown = shown_to_clients()) {
      found.granularity = wanted;
      found.counterexample = std::move(*shown);
      return;
    }
    RobustResult open = unproved_ ? *unproved_ : asked_.proved();
    open.answer = Answer::Undecided;
    open.why = "the search is by rows, and by rows it is not robust";
    report_.results.insert(report_.results.begin(), std::move(open));
  }

  /// A run of snapshot isolation that shows clients what no serial order does.
  [[nodiscard]] std::optional<robust::Counterexample> shown_to_clients() const {
    if (asked_.level != Base::SnapshotIsolation) return std::nullopt;
    const auto profile = engine::parse_profile("postgresql:repeatable-read");
    auto found = robust::search_profile(application_, **profile,
                                        Notion::Outcome, options_.loop_bound,
                                        budget_);
    if (!found || found->answer != Answer::NotRobust) return std::nullopt;
    return std::move(found->counterexample);
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
    return asked_.profile != nullptr ? search_profile(notion)
                                     : search_rows(notion);
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
      if (found->answer == Answer::Undecided && why.empty()) why = found->why;
      if (found->answer != Answer::NotRobust) continue;
      for (const InputValue& input : choice->values)
        found->inputs.emplace_back(input.name, input.text);
      return found;
    }
    RobustResult result = asked_.searched(notion);
    result.bounds = inputs.bounds();
    const bool is_all = inputs.is_exhausted() && why.empty();
    result.answer = is_all ? Answer::Robust : Answer::Undecided;
    result.effort = counted(searched, "choice") + " of inputs";
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

  [[nodiscard]] RobustRepairs repairs() const {
    return {options_, asked_, text_, is_sql_ ? &application_ : nullptr,
            budget_};
  }

  Result<RobustResult> search_rows(Notion notion) {
    const auto asked = asked_.search(notion);
    auto found = robust::search_sql(application_, asked, budget_);
    if (!found) return found.error();
    RobustResult result = asked_.searched(notion);
    fill(found->answer, result);
    if (found->answer.answer != Answer::NotRobust) return result;
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
                           options_.loop_bound, budget_);
    RobustResult result = proof.prove(asked_.proved());
    if (result.answer == Answer::Undecided && asked_.method == Method::Auto &&
        !application_.sessions.empty()) {
      unproved_ = std::move(result);
      return false;
    }
    if (result.answer == Answer::Undecided) proof.find_client(result);
    if (result.answer != Answer::Robust) repairs().after_proof(result);
    report_.results.push_back(std::move(result));
    return true;
  }

  Result<Done> allocate() {
    const auto types = robust::transaction_types(application_);
    robust::Prover prover(application_, types,
                          asked_.granularity.value_or(Granularity::Result),
                          true, budget_);
    report_.allocation = robust::allocate(prover);
    report_.is_allocation_cut = prover.has_given_up();
    for (std::size_t t = 0; t < types.size(); ++t) {
      const auto caught = robust::caught_failure(application_, types[t]);
      if (!caught || !report_.allocation_problem.empty()) continue;
      report_.allocation_problem =
          prover.names()[t] +
          " goes on after a serialization failure that it catches (line " +
          std::to_string(caught->line) +
          "), and what it does then no order explains, at any level; raise "
          "40001 and 40P01 again there";
    }
    return Done{};
  }

  Result<RobustResult> search_profile(Notion notion) {
    auto found = robust::search_profile(application_, *asked_.profile, notion,
                                        options_.loop_bound, budget_);
    if (!found) return found.error();
    RobustResult result = asked_.searched(notion);
    result.answer = found->answer;
    result.why = found->why;
    result.effort = counted(found->outcomes, "outcome") + " of the engine";
    result.counterexample = std::move(found->counterexample);
    if (result.answer == Answer::NotRobust) {
      repairs().after_search(notion, result);
    }
    return result;
  }

  Result<int> write() {
    for (const Output& output : options_.outputs) {
      std::string text;
      if (output.format == "json") {
        text = json_report("robust", options_.input, robust_json(report_),
                           seconds_since_start());
      } else if (output.format == "dot") {
        text = robust_dot(report_);
      } else {
        text = robust_text(report_);
      }
      if (auto ok = write_output(output, text); !ok) return ok.error();
    }
    if (report_.results.empty()) {
      return report_.is_allocation_cut || !report_.allocation_problem.empty()
                 ? kUndecided
                 : kHolds;
    }
    // The first answers what was asked; others say what it means.
    switch (report_.results.front().answer) {
      case Answer::Robust: return kHolds;
      case Answer::NotRobust: return kViolated;
      case Answer::Undecided: return kUndecided;
    }
    return kUndecided;
  }

  const Options& options_;
  const std::string text_;
  const Budget budget_;
  bool is_sql_ = false;
  RobustQuestion asked_;
  sql::Application application_;
  std::optional<sql::Application> open_;  ///< before inputs were chosen
  std::optional<RobustResult> unproved_;
  RobustReport report_;
};

}  // namespace

int run_robust(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  auto text = read_text(options.input);
  if (!text) return report_error(text.error());
  const auto status = RobustVerb(options, std::move(*text), *allowed).run();
  if (!status) return report_error(status.error());
  return *status;
}

}  // namespace txscope::cli
