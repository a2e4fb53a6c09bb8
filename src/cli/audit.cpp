#include "audit/audit.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/audit_state.h"
#include "cli/diagnostics.h"
#include "cli/levels.h"
#include "cli/limits.h"
#include "cli/log_input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "report/audit_report.h"

namespace txscope::cli {
namespace {

/// Of all levels some may be undecidable in any time.
constexpr std::chrono::seconds kAllLevelsTime{60};

using audit::AuditLevel;
using audit::Found;

/// What the log claims, in the words of levels.
Result<std::vector<AuditLevel>> audit_levels(const Options& options,
                                             const sql::LogHeader& header) {
  std::vector<AuditLevel> levels;
  if (options.level == "all") {
    for (const AuditLevel& level : audit::all_audit_levels())
      if (options.order.empty() ||
          level.is_strict == (options.order == "realtime"))
        levels.push_back(level);
    return levels;
  }
  const std::string names =
      options.level.empty() ? header.level : options.level;
  if (names.empty())
    return wrong_call("the log does not say at which level it ran",
                      "say --level serializable, or another, or all");
  for (const std::string& name : level_names(names)) {
    auto level = audit::parse_audit_level(name, options.order);
    if (!level) {
      Error error = level.error();
      if (options.level.empty()) error.hint += "; the log claims this level";
      return error;
    }
    levels.push_back(*level);
  }
  return levels;
}

int audit_status(const audit::AuditReport& report) {
  int status = kHolds;
  for (const audit::AuditResult& result : report.results) {
    if (result.found.answer == Found::Answer::Violated) return kViolated;
    if (result.found.answer == Found::Answer::Undecided) status = kUndecided;
  }
  return status;
}

}  // namespace

int run_audit(const Options& options) {
  const auto budget_limits = limits(options);
  if (!budget_limits) return report_error(budget_limits.error());
  if (options.input == "-")
    return report_error(wrong_call("a log cannot be read from standard input",
                                   "audit may have to read it twice"));
  if (!options.state.empty() && (options.certify || options.evidence))
    return report_error(wrong_call(
        "--state keeps no order, so nothing can be certified or shown",
        "leave out --state, or --certify and --evidence"));
  // A log that grows ends when the clock says so; that is no end of a budget.
  Budget::Limits given = *budget_limits;
  const auto follows_for = options.follow ? given.time : std::nullopt;
  if (options.follow) given.time.reset();
  std::optional<StopSignals> signals;
  if (options.follow) signals.emplace();
  const auto is_over = [follows_for, began = std::chrono::steady_clock::now()] {
    return is_stop_wanted() ||
           (follows_for &&
            std::chrono::steady_clock::now() - began >= *follows_for);
  };
  auto opened = options.follow ? OpenLog::follow(options.input, is_over)
                               : OpenLog::open(options.input);
  if (!opened) return report_error(opened.error());
  OpenLog& log = **opened;
  const auto levels = audit_levels(options, log.header());
  if (!levels) return report_error(levels.error());
  audit::AuditOptions asked;
  asked.judge_aborted = options.judge_aborted;
  asked.skip_unsupported = options.skip_unsupported;
  asked.own_levels = options.level.empty();
  asked.evidence = options.evidence;
  asked.certify = options.certify;
  if (options.level == "all" && !budget_limits->time)
    asked.search_time = kAllLevelsTime;
  auto from = std::optional<audit::SavedState>();
  audit::SavedState to;
  if (!options.state.empty()) {
    auto read = read_state(options.state, log.input().setup->schema);
    if (!read) return report_error(read.error());
    from = std::move(*read);
    if (from) asked.from = &*from;
    asked.to = &to;
  }
  const double started = seconds_since_start();
  const Budget budget(given);
  auto report = audit::audit(log.input(), *levels, asked, budget);
  if (!report) return report_error(report.error());
  report->is_cut = log.is_cut();
  if (!options.state.empty() && audit_status(*report) == kHolds)
    if (auto ok = write_state(options.state, to); !ok)
      return report_error(ok.error());
  const double seconds = seconds_since_start() - started;
  for (const Output& output : options.outputs) {
    const std::string text =
        output.format == "json"
            ? json_report("audit", options.input,
                          audit_json(*report, seconds, options.evidence),
                          seconds_since_start())
            : audit_text(*report, log.header(), options.input);
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return audit_status(*report);
}

}  // namespace txscope::cli
