#include "txscope/model.h"

#include <sstream>

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace txscope::cli {

namespace {

int translate(const Options& options) {
  const auto written = verb::translate_pluscal(options.input);
  if (!written) return report_error(written.error());
  const std::string text =
      options.input + (*written ? ": translation written\n"
                                : ": the translation is up to date\n");
  if (auto ok = write_output(options.outputs.front(), text); !ok)
    return report_error(ok.error());
  return kHolds;
}

}  // namespace

int run_model(const Options& options) {
  if (options.translate) return translate(options);
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  Listening listening;
  verb::ModelRequest request;
  request.input = options.input;
  request.config = options.config;
  std::istringstream include(options.include);
  for (std::string directory; std::getline(include, directory, ':');)
    if (!directory.empty()) request.include.push_back(directory);
  request.depth = options.depth;
  request.simulate = options.simulate;
  request.no_deadlock = options.no_deadlock;
  request.literal = options.literal;
  request.all_values = options.all_values;
  request.coverage = options.coverage;
  request.dump = options.dump;
  request.trace = options.tlc_trace;
  request.checkpoint = options.checkpoint;
  request.resume = options.resume;
  request.disk = options.disk;
  request.memory_bytes = allowed->memory_bytes;
  request.jobs = options.jobs;
  request.processes = options.processes;
  request.seed = options.seed;
  request.listener = listening.listener();
  return finish(options, listening, verb::model(request, budget));
}

}  // namespace txscope::cli
