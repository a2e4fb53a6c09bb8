#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/diagnostics.h"
#include "cli/guard.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/record_proxy.h"
#include "cli/record_setup.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "db/record/recorder.h"
#include "db/record/write_log.h"

namespace txscope::cli {
namespace {

std::string summary(const db::RecordCounts& counts, const Options& options,
                    const db::Database& database) {
  char rate[32];
  std::snprintf(
      rate, sizeof rate, "%.0f",
      counts.seconds > 0
          ? static_cast<double>(counts.transactions()) / counts.seconds
          : 0.0);
  const auto part = [](std::uint64_t count, const char* name) {
    return count == 0 ? std::string()
                      : ", " + std::to_string(count) + " " + name;
  };
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", counts.seconds);
  return "recorded " + std::to_string(counts.transactions()) +
         " transactions of " + std::to_string(options.client_count()) +
         (options.client_count() == 1 ? " client on " : " clients on ") +
         database.shown() + " in " + seconds + " s (" + rate +
         "/s): " + std::to_string(counts.committed) + " committed" +
         part(counts.aborted, "aborted") + part(counts.unknown, "unknown") +
         part(counts.retries, "retries") +
         part(counts.reconnections, "reconnections") + "\n";
}

/// Shows how far it is, and ends it when the user or the clock wants.
class Watch {
 public:
  Watch(const Budget& budget, const Options& options)
      : budget_(budget), options_(options) {}

  bool operator()(const db::RecordCounts& counts) {
    if (progress_.is_visible())
      progress_.show(std::to_string(counts.transactions()) + " of " +
                     std::to_string(options_.transactions) + " transactions, " +
                     std::to_string(counts.aborted) + " aborted");
    return !is_stop_wanted() && !budget_.spent_now();
  }

 private:
  const Budget& budget_;
  const Options& options_;
  Progress progress_;
};

int finish(const Result<db::RecordCounts>& counts, const Options& options,
           const db::Database& database, const db::LineFile& file) {
  if (!counts) {
    report_error(counts.error());
    // What was recorded is there and good; but it is not what was asked for.
    return file.bytes() > 0 ? kUndecided : kWrong;
  }
  std::fputs(summary(*counts, options, database).c_str(), stderr);
  return kHolds;
}

int run_workload(const Options& options) {
  const auto found_limits = limits(options);
  if (!found_limits) return report_error(found_limits.error());
  auto made = make_setup(options);
  if (!made) return report_error(made.error());
  RecordSetup& setup = **made;
  auto file = db::LineFile::open(options.outputs.front().file);
  if (!file) return report_error(file.error());
  const db::Redactor redactor(options.seed);
  if (options.redact) redactor.redact(setup.header);
  file->write(db::header_line(setup.header));

  const Budget budget(*found_limits);
  db::RecordWorld world;
  world.connect = [&] { return setup.connect(); };
  world.make_actor = setup.make_actor;
  world.end_session = [&](db::Session& session) { setup.end(session); };
  world.file = &*file;
  world.redactor = options.redact ? &redactor : nullptr;
  const StopSignals signals;
  Result<db::RecordCounts> counts = [&] {
    Watch watch(budget, options);
    world.on_progress = [&](const db::RecordCounts& c) { return watch(c); };
    return db::record(setup.plan, world);
  }();
  return finish(counts, options, *setup.database, *file);
}

}  // namespace

int run_record(const Options& options) {
  // --timeout is how long to record: what is open then is still written, and
  // what was made is cleaned up.
  rest_watchdogs();
  if (!options.proxy.empty() && !options.workload.empty())
    return report_error(wrong_call("--proxy and --workload exclude each other",
                                   "a proxy records what others do"));
  if (!options.proxy.empty()) return run_proxy(options);
  if (options.workload.empty())
    return report_error(
        wrong_call("what shall be recorded?",
                   "say --workload bank, or --proxy 127.0.0.1:6432"));
  return run_workload(options);
}

}  // namespace txscope::cli
