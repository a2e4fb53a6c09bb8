#include "txscope/race.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_race(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  // Runs end by themselves when the budget does; what they began is cleared.
  rest_watchdogs();
  tidy_up_on_signals();
  const Budget budget(*allowed);
  Listening listening;
  verb::RaceRequest request;
  request.input = options.input;
  request.db = options.db;
  request.in_place = options.in_place;
  request.repairs = !options.no_repairs;
  request.requests = options.requests;
  request.serve = options.serve;
  request.reset = options.reset;
  request.environment = options.environment;
  request.rules = options.rules;
  request.ignored = options.ignored;
  request.gave_up = options.gave_up;
  request.times = options.times;
  request.no_reduction = options.no_reduction;
  request.schedules = options.schedules;
  request.jobs = options.race_jobs;
  request.request_timeout = options.request_timeout;
  request.listener = listening.listener();
  // An error that ends a request is a finding here as a broken rule is.
  Options told = options;
  if (told.fail_on.empty()) told.fail_on = "rule,serial,deadlock,error";
  return finish(told, listening, verb::race(request, budget));
}

}  // namespace txscope::cli
