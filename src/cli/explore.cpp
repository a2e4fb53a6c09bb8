#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/certify_answers.h"
#include "cli/diagnostics.h"
#include "cli/explore_sql.h"
#include "cli/history_file.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "engine/profile.h"
#include "explore/explore.h"
#include "report/answer_report.h"
#include "report/history_lines.h"
#include "report/wrap.h"
#include "verify/program_question.h"

namespace txscope::cli {
namespace {

constexpr unsigned kWalks = 500;     // for the estimate
constexpr double kSureEnough = 0.1;  // its error, beyond which nobody is told

Result<std::vector<Base>> levels_of(const Options& options) {
  for (const std::string& part : level_names(options.level)) {
    if (!engine::is_profile_name(part)) continue;
    return wrong_call("'" + part + "' is a level of an engine, and " +
                          options.input + " is no application in SQL",
                      "name a level such as snapshot-isolation");
  }
  return theory_levels(options.level);
}

/// "1,234 end states, 56,789 per second, about 12,000 in all, 3 s to go".
std::string progress_line(const ExploreProgress& now, double seconds,
                          double estimate) {
  const auto whole = [](double x) {
    return grouped(static_cast<std::uint64_t>(x));
  };
  const double done = static_cast<double>(now.end_states);
  std::string line = grouped(now.end_states) + " end states";
  const double rate = seconds > 0 ? done / seconds : 0;
  if (rate > 0) line += ", " + whole(rate) + " per second";
  if (estimate > done && estimate < 1e18) {
    line += ", about " + whole(estimate) + " in all";
    if (rate > 0) line += ", " + whole((estimate - done) / rate) + " s to go";
  }
  return line;
}

}  // namespace

Result<Done> write_reports(const Options& options, const char* verb,
                           const AnswerReport& report) {
  for (const Output& output : options.outputs) {
    std::string text;
    if (output.format == "json") {
      text = json_report(verb, options.input, answer_json(report),
                         seconds_since_start());
    } else if (output.format == "dot") {
      text = answer_dot(report);
    } else {
      text = answer_text(report);
    }
    if (auto ok = write_output(output, text); !ok) return ok.error();
  }
  return Done{};
}

Result<Algorithm> algorithm_of(const Options& options) {
  if (options.algorithm.empty() || options.algorithm == "dpor") {
    return Algorithm::Dpor;
  }
  if (options.algorithm == "dfs") return Algorithm::Dfs;
  return wrong_call("there is no algorithm '" + options.algorithm + "'",
                    "dpor or dfs");
}

int run_explore(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);  // reading counts, too
  auto text = read_text(options.input);
  if (text && is_sql(options.input, *text)) {
    return run_explore_sql(options, std::move(*text), budget);
  }
  if (!text) return report_error(text.error());
  const auto levels = levels_of(options);
  if (!levels) return report_error(levels.error());
  const auto algorithm = algorithm_of(options);
  if (!algorithm) return report_error(algorithm.error());
  const auto program = read_program(options.input, std::move(*text));
  if (!program) return report_error(program.error());
  const auto code = compile(*program);
  if (!code) return report_error(code.error());
  if (const auto no = failed_assumption(*program)) return report_error(*no);
  const Workload workload = workload_of(*program);
  if (!options.histories.empty() && levels->size() != 1) {
    return report_error(
        wrong_call("--histories needs one level", "choose it: --level causal"));
  }
  HistoryFile histories(options.histories);
  if (histories.is_wanted() && !histories.is_open()) {
    return report_error(histories.failed());
  }

  auto progress = std::make_unique<Progress>();
  double estimate = 0;
  if (progress->is_visible()) {
    const auto guess =
        estimate_end_states(*program, levels->front(), kWalks,
                            options.loop_bound, options.seed, budget);
    // Where walks differ much, most of them miss what is large.
    if (guess && guess->error < kSureEnough * guess->mean)
      estimate = guess->mean;
  }
  ExploreOptions how;
  how.levels = *levels;
  how.loop_bound = options.loop_bound;
  how.all = options.all;
  how.outcomes = options.outcomes;
  how.algorithm = *algorithm;
  how.jobs = static_cast<unsigned>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(options.jobs, 1), 256));
  how.self_check = options.self_check;
  if (histories.is_wanted()) {
    how.on_history = [&](const ExploredHistory& history) {
      histories.write(history_lines(workload, *code, history));
    };
  }
  if (progress->is_visible()) {
    how.on_progress = [&](const ExploreProgress& now) {
      progress->show(progress_line(now, seconds_since_start(), estimate));
    };
  }
  auto result = explore(*program, how, budget);
  progress.reset();  // takes its line off the terminal
  if (!result) return report_error(result.error());
  if (options.certify) {
    const auto ok = certify_answers(workload, budget.with_grace(), *result);
    if (!ok) return report_error(ok.error());
  }
  const bool is_cut = is_cut_short(*result);
  if (histories.is_wanted() && is_cut)
    std::fputs("note: the search was cut; --histories is not written\n",
               stderr);
  if (auto ok = histories.finish(!is_cut); !ok) return report_error(ok.error());
  const AnswerReport report{options.input, &workload,          &*result,
                            nullptr,       options.loop_bound, options.all};
  if (auto ok = write_reports(options, "explore", report); !ok) {
    return report_error(ok.error());
  }
  return status_of(outcome_of(*result));
}

}  // namespace txscope::cli
