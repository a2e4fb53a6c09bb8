#include "txscope/audit.h"

#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/diagnostics.h"
#include "cli/finish.h"
#include "cli/limits.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"

namespace txscope::cli {
namespace {

/// Of all levels some may be undecidable in any time.
constexpr std::uint64_t kAllLevelsSteps = 30'000'000;

}  // namespace

int run_audit(const Options& options) {
  auto allowed = limits(options);
  if (!allowed) return report_error(allowed.error());
  if (!options.log_times.empty() && options.log_times != "exact")
    return report_error(
        wrong_call("--times '" + options.log_times + "' is unknown",
                   "--times exact, or leave it out"));
  Listening listening;
  verb::AuditRequest request;
  request.has_exact_times = !options.log_times.empty();
  request.input = options.input;
  request.level = options.level;
  request.order = options.order;
  request.judge_aborted = options.judge_aborted;
  request.skip_unsupported = options.skip_unsupported || options.allow_skipped;
  request.evidence = options.evidence;
  request.certify = options.certify;
  request.state = options.state;
  request.listener = listening.listener();
  if (options.level == "all" && !allowed->time)
    request.search_steps = kAllLevelsSteps;
  std::optional<StopSignals> signals;
  if (options.follow) {
    // A log that grows ends when the clock says so; that is no end of a budget.
    signals.emplace();
    request.is_over = [time = allowed->time,
                       began = std::chrono::steady_clock::now()] {
      return is_stop_wanted() ||
             (time && std::chrono::steady_clock::now() - began >= *time);
    };
    request.on_notice = [](const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };
    allowed->time.reset();
  }
  const Budget budget(*allowed);
  return finish(options, listening, verb::audit(request, budget));
}

}  // namespace txscope::cli
