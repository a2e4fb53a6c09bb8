#include "txscope/explore.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_explore(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);  // reading counts, too
  Listening listening;
  verb::ExploreRequest request;
  request.input = options.input;
  request.dialect = options.dialect;
  request.level = options.level;
  request.algorithm = options.algorithm;
  request.loop_bound = options.loop_bound;
  request.all = options.all;
  request.outcomes = options.outcomes;
  request.count = options.count;
  request.certify = options.certify;
  request.self_check = options.self_check;
  request.histories = options.histories;
  request.jobs = options.jobs;
  request.seed = options.seed;
  request.listener = listening.listener();
  return finish(options, listening, verb::explore(request, budget));
}

}  // namespace txscope::cli
