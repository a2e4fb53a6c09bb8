#include "txscope/robust.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_robust(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  Listening listening;
  verb::RobustRequest request;
  request.input = options.input;
  request.dialect = options.dialect;
  request.against = options.against;
  request.notion = options.notion;
  request.granularity = options.granularity;
  request.method = options.method;
  request.allocate = options.allocate;
  request.no_repairs = options.no_repairs;
  request.loop_bound = options.loop_bound;
  request.listener = listening.listener();
  return finish(options, listening, verb::robust(request, budget));
}

}  // namespace txscope::cli
