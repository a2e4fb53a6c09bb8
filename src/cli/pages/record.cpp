#include "txscope/record.h"

#include <cstdio>

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"

namespace txscope::cli {
namespace {

verb::RecordRequest request_of(const Options& options) {
  verb::RecordRequest request;
  request.workload = options.workload;
  request.proxy = options.proxy;
  request.db = options.db;
  request.level = options.level;
  request.output = options.outputs.front().file;
  if (options.clients != Options::kNotSaid) request.clients = options.clients;
  request.transactions = options.transactions;
  request.retries = options.retries;
  request.rate = options.rate;
  request.schema = options.schema;
  request.drop = options.drop;
  request.keep = options.keep;
  request.force = options.force;
  request.redact = options.redact;
  request.stored = options.stored;
  request.random_arguments = options.random_arguments;
  request.scale = options.scale;
  request.rows_accessed = options.rows_accessed;
  request.blind_writes = options.blind_writes;
  request.read_only = options.read_only;
  request.keys = options.record_keys;
  request.operations = options.record_operations;
  request.reads = options.reads;
  request.seed = options.seed;
  request.is_over = [] { return is_stop_wanted(); };
  request.on_listening = [](const std::string& host, std::uint16_t port,
                            const std::string& database) {
    std::fprintf(stderr,
                 "listening on %s:%u for clients of database %s; end with "
                 "Ctrl-C\n",
                 host.c_str(), static_cast<unsigned>(port), database.c_str());
  };
  return request;
}

}  // namespace

int run_record(const Options& options) {
  // --timeout is how long to record: what is open then is still written, and
  // what was made is cleaned up.
  rest_watchdogs();
  const auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  Listening listening;
  verb::RecordRequest request = request_of(options);
  request.time = allowed->time;
  request.listener = listening.listener();
  // What was made is dropped, also if the user wants no more in the middle.
  const StopSignals signals;
  return finish(options, listening, verb::record(request, Budget::unlimited()));
}

}  // namespace txscope::cli
