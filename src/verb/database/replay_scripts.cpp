#include "verb/database/replay_scripts.h"

#include <nlohmann/json.hpp>

#include "report/replay/emit.h"
#include "txscope/write.h"
#include "verb/database/saved_schedule.h"

namespace txscope::verb {
namespace {

constexpr std::size_t kMostScripted = 30;  // findings

/// What is sent in which order: how a run is known again.
std::string order_of(const report::document::Finding& finding) {
  std::string all = finding.level + "\n";
  for (const report::document::Step& step : finding.steps)
    if (step.kind == report::document::Step::Kind::Statement ||
        step.kind == report::document::Step::Kind::Wait)
      all += finding.lanes[step.lane] + ": " + step.text + "\n";
  return all;
}

std::string order_of(const StatementSchedule& schedule) {
  std::string all = schedule.level + "\n";
  for (const StatementSchedule::Step& step : schedule.steps)
    if (step.kind == StatementSchedule::Step::Kind::Statement ||
        step.kind == StatementSchedule::Step::Kind::Wait)
      all += schedule.sessions[step.session] + ": " + step.sql + "\n";
  return all;
}

}  // namespace

void add_replay_scripts(const Report& report,
                        report::document::Document& document) {
  if (document.findings.empty() || document.findings.size() > kMostScripted)
    return;
  const auto saved = nlohmann::json::parse(json(report), nullptr, false);
  if (saved.is_discarded()) return;
  const auto schedules = saved_schedules(saved, report.verb, {});
  if (!schedules) return;
  for (report::document::Finding& finding : document.findings) {
    for (const StatementSchedule& schedule : schedules->schedules) {
      if (order_of(schedule) != order_of(finding)) continue;
      if (const auto text = report::emitted(schedule, report::ScriptForm::Psql))
        finding.scripts.push_back(
            {"Show it on a database, in a terminal per session", *text});
      else if (const auto sql =
                   report::emitted(schedule, report::ScriptForm::Sql))
        finding.scripts.push_back(
            {"Show it on a database: what each session sends, in this order",
             *sql});
      if (const auto text =
              report::emitted(schedule, report::ScriptForm::Pytest))
        finding.scripts.push_back(
            {"The same as a test that fails until it is repaired", *text});
      break;
    }
  }
}

}  // namespace txscope::verb
