#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/diagnostics.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "report/model_report.h"
#include "report/wrap.h"

namespace txscope::cli {
namespace {

ModelRequest request_of(const Options& options) {
  ModelRequest request;
  request.spec = options.input;
  if (!options.config.empty()) request.config = options.config;
  std::istringstream include(options.include);
  for (std::string directory; std::getline(include, directory, ':');)
    if (!directory.empty()) request.include.push_back(directory);
  request.jobs = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(options.jobs, 1, 256));
  if (options.no_deadlock) request.check_deadlock = false;
  if (options.depth > 0)
    request.max_depth = static_cast<std::uint32_t>(options.depth);
  if (options.simulate > 0) request.simulate = options.simulate;
  request.seed = options.seed;
  request.use_natives = !options.literal;
  return request;
}

/// Ctrl-C ends the search and shows what is known so far; a second one ends
/// the program.
std::atomic<const Budget*> interruptible = nullptr;

class Interruptible {
 public:
  explicit Interruptible(const Budget& budget) {
    interruptible = &budget;
    std::signal(SIGINT, [](int) {
      if (const Budget* b = interruptible.exchange(nullptr)) b->cancel();
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~Interruptible() {
    std::signal(SIGINT, SIG_DFL);
    interruptible = nullptr;
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

bool has_json(const Options& options) {
  return std::any_of(options.outputs.begin(), options.outputs.end(),
                     [](const Output& o) { return o.format == "json"; });
}

}  // namespace

int run_model(const Options& options) {
  if (options.input == "-")
    return report_error(wrong_call(
        "a specification cannot come from standard input",
        "modules and the configuration are looked for beside its file"));
  const auto budget_limits = limits(options);
  if (!budget_limits) return report_error(budget_limits.error());
  const Budget budget(*budget_limits);
  ModelResult so_far;
  Result<ModelResult> result = [&] {
    const Interruptible guard(budget);
    Progress progress;
    return check_model(
        request_of(options), budget,
        [&](const ModelProgress& p) {
          const double rate =
              static_cast<double>(p.generated) / seconds_since_start();
          progress.show(fmt::format(
              "depth {}: {} states generated ({}/s), {} distinct, {} waiting",
              p.depth, grouped(p.generated),
              grouped(static_cast<std::uint64_t>(rate)), grouped(p.distinct),
              grouped(p.queue)));
        },
        &so_far);
  }();
  ModelReport report;
  if (!result) {
    report.result = &so_far;
    if (!so_far.trace.empty() && !has_json(options))
      std::cout << model_trace_text(report);
    return report_error(result.error());
  }
  report.input = options.input;
  report.result = &*result;
  report.seconds = seconds_since_start();
  report.all_values = options.all_values;
  for (const Output& output : options.outputs) {
    const std::string text =
        output.format == "json"
            ? json_report("model", options.input,
                          nlohmann::ordered_json::array({model_json(report)}),
                          seconds_since_start())
            : model_text(report);
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return status_of(result->outcome);
}

}  // namespace txscope::cli
