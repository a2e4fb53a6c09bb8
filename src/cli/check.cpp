#include <algorithm>
#include <nlohmann/json.hpp>

#include "certify/certify.h"
#include "check/check.h"
#include "check/ladder.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/history_input.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "model/history_builder.h"
#include "report/check_report.h"

namespace txscope::cli {
namespace {

// What one run says, format by format, while histories come and go.
struct Reports {
  std::vector<std::string> texts;  // one per output
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  bool any_violated = false;
  bool any_undecided = false;

  [[nodiscard]] int status() const {
    if (any_violated) return kViolated;
    return any_undecided ? kUndecided : kHolds;
  }
};

void add(const CheckReport& report, const Options& options, Reports& reports) {
  for (const auto& row : report.rows) {
    reports.any_violated |= row.verdict.outcome() == Outcome::Violated;
    reports.any_undecided |= row.verdict.outcome() == Outcome::Undecided;
  }
  bool json_is_added = false;
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    const std::string& format = options.outputs[i].format;
    std::string& text = reports.texts[i];
    if (format == "text") {
      if (!text.empty()) text += "\n";
      text += check_text(report);
    } else if (format == "dot") {
      text += check_dot_part(report);
    } else if (!json_is_added) {
      json_is_added = true;
      for (auto& result : check_json(report))
        reports.results.push_back(std::move(result));
    }
  }
}

// Our own evidence must prove what we say; if not, it is a bug of ours.
Result<Done> certify_all(const CheckReport& report) {
  for (const auto& row : report.rows) {
    const Certificate certificate = certify(*report.history, row.verdict);
    if (certificate) continue;
    return Error{Place{report.input, 0, 0, {}},
                 "internal error: the evidence for '" +
                     describe(row.verdict.level) +
                     "' does not stand: " + certificate.why_not,
                 "please report this history", ""};
  }
  return Done{};
}

bool has_times(const History& history) {
  return std::any_of(history.txns().begin(), history.txns().end(),
                     [](const Txn& t) { return t.end != Txn::kNoTime; });
}

Result<CheckReport> judge(const History& history, const Options& options,
                          const std::vector<Level>& asked,
                          const Budget& budget) {
  CheckReport report;
  report.input = options.input;
  report.history = &history;
  report.with_evidence = options.evidence;
  report.is_certified = options.certify;
  std::vector<Level> levels = asked;
  if (is_whole_ladder(options.level, options.order) &&
      !missing_times(history) && has_times(history))
    levels.push_back({Base::Serializable, Order::Realtime});
  for (const Level level : levels) {
    if (level.order != Order::Realtime) continue;
    if (auto missing = missing_times(history)) return *std::move(missing);
    break;
  }
  for (LadderRow& row : check_levels(history, levels, budget))
    report.rows.push_back({std::move(row.verdict), row.follows_from});
  if (options.certify) {
    if (auto ok = certify_all(report); !ok) return ok.error();
  }
  return report;
}

// Reading ended with the budget: no level is decided.
void add_unread(const Options& options, const std::vector<Level>& levels,
                const Budget& budget, std::size_t number, Reports& reports) {
  const auto nothing = HistoryBuilder(options.input).finish();
  CheckReport report;
  report.input = options.input;
  report.history = &*nothing;
  report.number = number;
  for (const Level level : levels)
    report.rows.push_back({Verdict{level, budget.reason()}, std::nullopt});
  add(report, options, reports);
}

// One history at a time is in memory.  So the first is told in both ways,
// alone and as number 1, before it is known whether another follows.
Result<Reports> judge_all(HistorySource& source, const Options& options,
                          const std::vector<Level>& levels,
                          const Budget& budget) {
  Reports alone;
  alone.texts.resize(options.outputs.size());
  Reports reports = alone;
  for (std::size_t number = 1;; ++number) {
    auto history = source.next();
    if (!history && budget.reason() == Spent::Nothing) return history.error();
    if (history && !*history) return number == 2 ? alone : reports;
    if (!history) {
      add_unread(options, levels, budget, number == 1 ? 0 : number, reports);
      return reports;
    }
    auto report = judge(**history, options, levels, budget);
    if (!report) return report.error();
    if (number == 1) add(*report, options, alone);
    report->number = number;
    add(*report, options, reports);
  }
}

Reports nothing_read(const Options& options, const std::vector<Level>& levels,
                     const Budget& budget) {
  Reports reports;
  reports.texts.resize(options.outputs.size());
  add_unread(options, levels, budget, 0, reports);
  return reports;
}

nlohmann::ordered_json unanswered(const std::vector<Level>& levels) {
  auto results = nlohmann::ordered_json::array();
  for (const Level level : levels)
    results.push_back(
        {{"level", name(level.base)}, {"order", name(level.order)}});
  return results;
}

}  // namespace

int run_check(const Options& options) {
  const auto levels = parse_levels(options.level, options.order);
  if (!levels) return report_error(levels.error());
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  promise_results(unanswered(*levels));
  const Budget budget(*allowed);
  auto source = open_input(options, &budget);
  if (!source && budget.reason() == Spent::Nothing)
    return report_error(source.error());
  auto reports = source ? judge_all(**source, options, *levels, budget)
                        : nothing_read(options, *levels, budget);
  if (!reports) return report_error(reports.error());
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    if (options.outputs[i].format == "json")
      reports->texts[i] = json_report("check", options.input, reports->results,
                                      seconds_since_start());
    if (options.outputs[i].format == "dot")
      reports->texts[i] = check_dot(reports->texts[i]);
    if (auto ok = write_output(options.outputs[i], reports->texts[i]); !ok)
      return report_error(ok.error());
  }
  return reports->status();
}

}  // namespace txscope::cli
