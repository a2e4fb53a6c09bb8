#include "txscope/check.h"

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_check(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  Listening listening(Listening::Shows::Clock);
  verb::CheckRequest request;
  request.inputs = options.inputs;
  request.level = options.level;
  request.order = options.order;
  request.input_format = options.input_format;
  request.judge_aborted = options.judge_aborted;
  request.initial = options.initial;
  request.all = options.all;
  request.certify = options.certify;
  request.evidence = options.evidence;
  request.jobs = options.jobs;
  request.formats.clear();
  for (const Output& output : options.outputs)
    request.formats.push_back(output.format);
  request.listener = listening.listener();
  return finish(options, listening, verb::check(request, budget));
}

}  // namespace txscope::cli
