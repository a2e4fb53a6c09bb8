#include "cli/finish.h"

#include <algorithm>
#include <cstdio>

#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/output.h"
#include "report/page/wrap.h"
#include "transport/outside.h"
#include "txscope/status.h"
#include "txscope/write.h"
#include "verb/program/baseline.h"

namespace txscope::cli {
namespace {

/// What was found before an error: its text, unless JSON is wanted, which has
/// the error only.
int finish_failed(const Options& options, const verb::Report& report) {
  const bool has_json =
      std::any_of(options.outputs.begin(), options.outputs.end(),
                  [](const Output& o) { return o.format == "json"; });
  if (!has_json && report.detail != nullptr)
    std::fputs(verb::text(report).c_str(), stdout);
  report_error(*report.failure);
  return verb::status_of(report);
}

/// What was accepted before does not count, in whatever form it is told.
void tell_accepted(const verb::DocumentContext& context, verb::Report& report) {
  const report::document::Document document =
      verb::document_of(report, context);
  verb::forget_accepted(document, report);
  std::size_t accepted = 0;
  for (const report::document::Finding& finding : document.findings)
    accepted += finding.triage.is_suppressed() ? 1 : 0;
  if (accepted > 0)
    report_notes({report::counted(accepted, "finding") +
                  " of the baseline accepted; not counted"});
}

}  // namespace

int finish(const Options& options, Listening& listening,
           Result<verb::Report> report) {
  listening.end();
  if (!report) {
    std::vector<Error> errors = listening.more_errors();
    errors.insert(errors.begin(), report.error());
    return report_errors(errors);
  }
  if (transport::is_helper()) return verb::status_of(*report, {});
  report_notes(report->notes);
  if (report->failure) return finish_failed(options, *report);
  for (const Error& problem : report->problems) tell_error(problem);
  std::fputs(report->summary.c_str(), stderr);
  verb::StatusOptions how;
  const auto fail_on = verb::parse_fail_on(options.fail_on);
  if (!fail_on) return report_error(fail_on.error());
  how.fail_on = *fail_on;
  how.allow_vacuous = options.allow_vacuous;
  how.allow_partial = options.allow_skipped;
  if (verb::counts_nothing(*report, how))
    report_notes(
        {"--fail-on rule, but there is no rule: nothing that counts "
         "was checked"});
  if (report->detail == nullptr) return verb::status_of(*report, how);
  report->seconds = seconds_since_start();
  verb::DocumentContext context;
  context.command = options.command;
  context.status = how;
  context.inputs_are_files = true;
  if (!options.baseline.empty()) {
    auto known = verb::read_baseline(options.baseline);
    if (!known) return report_error(known.error());
    context.has_baseline = true;
    context.baseline = *std::move(known);
    tell_accepted(context, *report);
  }
  for (const Output& output : options.outputs) {
    const std::string text = verb::written(*report, output.format, context);
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return verb::status_of(*report, how);
}

}  // namespace txscope::cli
