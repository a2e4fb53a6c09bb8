#include "txscope/replay.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_replay(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  rest_watchdogs();
  tidy_up_on_signals();
  const Budget budget(*allowed);
  Listening listening;
  verb::ReplayRequest request;
  request.input = options.input;
  request.db = options.db;
  request.level = options.level;
  request.emit = options.emit;
  request.times = options.times;
  request.listener = listening.listener();
  return finish(options, listening, verb::replay(request, budget));
}

}  // namespace txscope::cli
