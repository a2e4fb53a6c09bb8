#include <nlohmann/json.hpp>

#include "certify/certify.h"
#include "check/check.h"
#include "check/ladder.h"
#include "cli/diagnostics.h"
#include "cli/history_input.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verbs.h"
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
      text += check_dot(report);
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

Result<CheckReport> judge(const History& history, const Options& options,
                          const std::vector<Level>& levels,
                          const Budget& budget) {
  CheckReport report;
  report.input = options.input;
  report.history = &history;
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

Result<Reports> judge_all(HistorySource& source, const Options& options,
                          const std::vector<Level>& levels,
                          const Budget::Limits& limits) {
  Reports reports;
  reports.texts.resize(options.outputs.size());
  auto history = source.next();
  if (!history) return history.error();
  for (std::size_t number = 1; *history; ++number) {
    auto next = source.next();
    if (!next) return next.error();
    const bool is_alone = number == 1 && !*next;
    const Budget budget(limits);
    auto report = judge(**history, options, levels, budget);
    if (!report) return report.error();
    report->number = is_alone ? 0 : number;
    add(*report, options, reports);
    history = std::move(next);
  }
  return reports;
}

}  // namespace

int run_check(const Options& options) {
  const auto levels = parse_levels(options.level, options.order);
  if (!levels) return report_error(levels.error());
  const auto budget = limits(options);
  if (!budget) return report_error(budget.error());
  auto source = open_input(options);
  if (!source) return report_error(source.error());
  auto reports = judge_all(**source, options, *levels, *budget);
  if (!reports) return report_error(reports.error());
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    if (options.outputs[i].format == "json")
      reports->texts[i] = json_report("check", options.input, reports->results,
                                      seconds_since_start());
    if (auto ok = write_output(options.outputs[i], reports->texts[i]); !ok)
      return report_error(ok.error());
  }
  return reports->status();
}

}  // namespace txscope::cli
