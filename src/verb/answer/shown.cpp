#include "verb/answer/shown.h"

namespace txscope::verb {
namespace {

/// Why what holds at a level says nothing.
std::string vacuous_at(const Report& report, const std::string& level) {
  for (const Finding& finding : report.findings)
    if (finding.level == level && !finding.vacuous_because.empty())
      return finding.vacuous_because;
  return "";
}

}  // namespace

std::string input_of(const Report& report) {
  return report.inputs.empty() ? std::string() : report.inputs.front();
}

report::AnswerReport shown(const Report& report, const ExploreDetail& found) {
  report::AnswerReport shown;
  shown.input = input_of(report);
  shown.workload = &found.workload;
  shown.answers = &found.answers;
  shown.application = found.application ? &*found.application : nullptr;
  shown.loop_bound = found.loop_bound;
  shown.all = found.all;
  for (const Answer& answer : found.answers)
    shown.vacuous.push_back(vacuous_at(report, answer.level));
  shown.partly = report.checked.partly;
  shown.counts_only = found.counts_only;
  return shown;
}

report::VerifyReport shown(const Report& report, const VerifyDetail& found) {
  return {input_of(report),   &found.result,
          found.loop_bound,   report.checked.vacuous_because,
          found.is_inductive, report.checked.partly};
}

report::ModelReport shown(const Report& report, const ModelDetail& found) {
  report::ModelReport shown;
  shown.input = input_of(report);
  shown.result = &found.result;
  shown.seconds = report.seconds;
  shown.all_values = found.all_values;
  return shown;
}

report::RaceReport shown(const Report& report, const RaceDetail& found) {
  report::RaceReport shown{input_of(report), &found.plan,    &found.findings,
                           &found.names,     &found.repairs, found.database,
                           found.db,         report.seconds};
  shown.vacuous_because = report.checked.vacuous_because;
  shown.partly = report.checked.partly;
  return shown;
}

report::ReplayReport shown(const Report& report, const ReplayDetail& found) {
  return {input_of(report), &found.plan,     &found.trace,    found.times,
          found.reproduced, found.prevented, found.difference};
}

}  // namespace txscope::verb
