#include "txscope/analyze.h"

#include <utility>

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/verbs.h"
#include "verb/program/baseline.h"

namespace txscope::cli {

int run_analyze(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  Listening listening;
  verb::AnalyzeRequest request;
  request.inputs = options.inputs;
  request.dialect = options.dialect;
  request.level = options.level;
  request.loop_bound = options.loop_bound;
  request.repairs = !options.no_repairs;
  request.before = options.before;
  request.log.file = options.log;
  request.log.format = options.log_format;
  request.log.gap_seconds = options.gap;
  request.log.one_user = options.one_user;
  request.log.without = options.without;
  request.log.whole_requests = options.whole_requests;
  request.log.emit = options.emit;
  // A list of findings is for the analysis, a report for who writes one.
  Options shown = options;
  if (verb::is_finding_list(options.baseline))
    request.baseline = std::exchange(shown.baseline, {});
  request.write_baseline = options.write_baseline;
  request.fix = options.fix;
  request.is_quiet = options.quiet;
  request.listener = listening.listener();
  return finish(shown, listening, verb::analyze(request, budget));
}

}  // namespace txscope::cli
