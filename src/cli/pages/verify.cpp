#include "txscope/verify.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_verify(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  Listening listening;
  verb::VerifyRequest request;
  request.input = options.input;
  request.dialect = options.dialect;
  request.level = options.level;
  request.levels_needed = options.levels_needed;
  request.integers = options.integers;
  request.inductive = options.inductive;
  request.evidence = options.evidence;
  request.loop_bound = options.loop_bound;
  request.jobs = options.jobs;
  request.listener = listening.listener();
  return finish(options, listening, verb::verify(request, budget));
}

}  // namespace txscope::cli
