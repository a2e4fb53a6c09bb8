#include "txscope/generate.h"

#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/history_output.h"
#include "cli/limits.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_generate(const Options& options) {
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  const Budget budget(*allowed);
  verb::GenerateRequest request;
  request.level = options.level;
  request.order = options.order;
  request.sessions = options.sessions;
  request.transactions = options.transactions;
  request.operations = options.operations;
  request.keys = options.keys;
  request.reads = options.reads;
  request.distribution = options.distribution;
  request.lists = options.lists;
  request.values = options.values;
  request.aborted = options.aborted;
  request.unknown = options.unknown;
  request.no_times = options.no_times;
  request.replicas = options.replicas;
  request.plant = options.plant;
  request.seed = options.seed;
  request.allowed_by = options.allowed_by;
  request.forbidden_by = options.forbidden_by;
  request.to = options.to;
  request.file = options.outputs.front().file;
  if (request.allowed_by.empty() && request.forbidden_by.empty())
    end_at_once_on_signals();
  return write_histories(options, [&](TextSink sink) {
    request.write = std::move(sink);
    return verb::generate(request, budget);
  });
}

}  // namespace txscope::cli
