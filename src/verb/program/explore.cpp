#include "txscope/explore.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "explore/explore.h"
#include "model/product/profile.h"
#include "report/history_lines.h"
#include "report/page/wrap.h"
#include "transport/group.h"
#include "transport/outside.h"
#include "verb/answer/answer_findings.h"
#include "verb/answer/certify_answers.h"
#include "verb/answer/evidence.h"
#include "verb/answer/vacuity.h"
#include "verb/input/levels.h"
#include "verb/input/program_file.h"
#include "verb/input/wrong_call.h"
#include "verb/program/explore_sql.h"
#include "verb/program/history_file.h"
#include "verify/program_question.h"

namespace txscope::verb {
namespace {

constexpr unsigned kWalks = 500;     // for the estimate
constexpr double kSureEnough = 0.1;  // its error, beyond which nobody is told

Result<std::vector<Base>> levels_of(const ExploreRequest& request) {
  for (const std::string& part : level_names(request.level)) {
    if (!is_profile_name(part)) continue;
    return wrong_call("'" + part + "' is a product's level, and " +
                          request.input + " is not a SQL application",
                      promise_hint(part));
  }
  return theory_levels(request.level);
}

/// "1,234 end states, 56,789 per second, about 12,000 in all, 3 s to go".
class ProgressLine {
 public:
  ProgressLine(const ExploreRequest& request, const Program& program,
               Base level, const Budget& budget) {
    const auto guess = explore::estimate_end_states(
        program, level, kWalks, request.loop_bound, request.seed, budget);
    // Where walks differ much, most of them miss what is large.
    if (guess && guess->error < kSureEnough * guess->mean)
      estimate_ = guess->mean;
  }

  [[nodiscard]] std::string of(const explore::ExploreProgress& now) const {
    const std::chrono::duration<double> past =
        std::chrono::steady_clock::now() - began_;
    const double done = static_cast<double>(now.end_states);
    std::string line = report::grouped(now.end_states) + " end states";
    const double rate = past.count() > 0 ? done / past.count() : 0;
    if (rate > 0) line += ", " + whole(rate) + " per second";
    if (estimate_ > done && estimate_ < 1e18) {
      line += ", about " + whole(estimate_) + " in all";
      if (rate > 0)
        line += ", " + whole((estimate_ - done) / rate) + " s to go";
    }
    return line;
  }

 private:
  static std::string whole(double x) {
    return report::grouped(static_cast<std::uint64_t>(x));
  }

  double estimate_ = 0;
  const std::chrono::steady_clock::time_point began_ =
      std::chrono::steady_clock::now();
};

explore::ExploreOptions options_of(const ExploreRequest& request,
                                   const std::vector<Base>& levels,
                                   explore::Algorithm algorithm) {
  explore::ExploreOptions how;
  how.levels = levels;
  how.loop_bound = request.loop_bound;
  how.all = request.all || request.count;
  how.outcomes = request.outcomes;
  how.algorithm = algorithm;
  how.jobs =
      static_cast<unsigned>(std::clamp<std::uint64_t>(request.jobs, 1, 256));
  how.self_check = request.self_check;
  return how;
}

Result<ExploreDetail> explore_txn_text(const ExploreRequest& request,
                                       std::string text, const Budget& budget,
                                       Report& report) {
  const auto levels = levels_of(request);
  if (!levels) return levels.error();
  const auto algorithm = algorithm_of(request);
  if (!algorithm) return algorithm.error();
  const auto program = read_program(request.input, std::move(text));
  if (!program) return program.error();
  const auto code = exec::compile(*program);
  if (!code) return code.error();
  if (const auto no = verify::failed_assumption(*program)) return *no;
  ExploreDetail found;
  found.workload = workload_of(*program);
  if (!request.histories.empty() && levels->size() != 1)
    return wrong_call("--histories needs one level",
                      "choose it: --level causal");
  HistoryFile histories(transport::is_helper() ? "" : request.histories);
  if (histories.is_wanted() && !histories.is_open()) return histories.failed();

  explore::ExploreOptions how = options_of(request, *levels, *algorithm);
  if (histories.is_wanted()) {
    how.on_history = [&](const explore::ExploredHistory& history) {
      histories.write(report::history_lines(found.workload, *code, history));
    };
  }
  std::optional<ProgressLine> line;
  if (request.listener.on_progress) {
    line.emplace(request, *program, levels->front(), budget);
    how.on_progress = [&](const explore::ExploreProgress& now) {
      request.listener.on_progress(line->of(now));
    };
  }
  std::vector<Promise> questions;
  for (const Base level : *levels)
    questions.push_back({std::string(name(level)), ""});
  request.listener.questions(questions);
  how.on_answer = [&](const Answer& answer) {
    request.listener.decided({answer.level, "", known(answer.outcome)});
  };
  std::optional<transport::Group> ranks;
  if (transport::outside() != nullptr) {
    ranks.emplace(*transport::outside());
    how.ranks = &*ranks;
  }
  auto result = explore::explore(*program, how, budget);
  if (!result) return result.error();
  found.answers = std::move(*result);
  if (request.certify) {
    auto ok =
        certify_answers(found.workload, budget.with_grace(), found.answers);
    if (!ok) return ok.error();
  }
  if (any_holds(found.answers))
    found.seen = observe(*program, levels->front(), request.loop_bound, budget);
  const bool is_cut = is_cut_short(found.answers);
  if (histories.is_wanted() && is_cut)
    report.notes.emplace_back("the search was cut; --histories is not written");
  if (auto ok = histories.finish(!is_cut); !ok) return ok.error();
  return found;
}

/// What is asked is how many there are.
Finding count_finding(const std::string& input,
                      const std::vector<Answer>& answers) {
  Finding finding;
  finding.input = input;
  finding.property = "counted";
  finding.outcome = Outcome::Holds;
  for (const Answer& answer : answers)
    if (!answer.is_complete) finding.outcome = Outcome::Undecided;
  return finding;
}

/// Histories or ends are listed, which is a job without rules, too.
bool lists(const ExploreRequest& request) {
  return request.outcomes || !request.histories.empty();
}

void forgive_no_rule(Report& report) {
  if (report.checked.rules > 0 || report.checked.executions == 0) return;
  for (Finding& finding : report.findings) finding.vacuous_because.clear();
  report.checked.vacuous_because.clear();
}

}  // namespace

bool any_holds(const std::vector<Answer>& answers) {
  return std::any_of(answers.begin(), answers.end(), [](const Answer& a) {
    return a.outcome == Outcome::Holds;
  });
}

Result<explore::Algorithm> algorithm_of(const ExploreRequest& request) {
  if (request.algorithm.empty() || request.algorithm == "dpor")
    return explore::Algorithm::Dpor;
  if (request.algorithm == "dfs") return explore::Algorithm::Dfs;
  return wrong_call("there is no algorithm '" + request.algorithm + "'",
                    "dpor or dfs");
}

Result<Report> explore(const ExploreRequest& request, const Budget& budget) {
  auto text = program_text(request);
  if (!text) return text.error();
  Report report;
  report.verb = "explore";
  report.inputs = {request.input};
  const bool in_sql = is_sql(request.input, *text);
  if (transport::outside() != nullptr && request.jobs > 1)
    return wrong_call("mpirun says how many processes there are",
                      "leave out --jobs");
  auto found =
      in_sql ? explore_sql_text(request, std::move(*text), budget, report)
             : explore_txn_text(request, std::move(*text), budget, report);
  if (!found) return found.error();
  if (in_sql && transport::is_helper()) return report;
  found->loop_bound = request.loop_bound;
  found->all = request.all;
  found->counts_only = request.count;
  if (request.count) {
    report.findings = {count_finding(request.input, found->answers)};
  } else {
    report.findings = findings_of(found->workload, found->answers);
    judge_vacuity(found->workload, found->answers, found->seen, report);
    if (lists(request)) forgive_no_rule(report);
  }
  conclude(report, std::move(*found));
  return report;
}

}  // namespace txscope::verb
