#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/diagnostics.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "read/file_kind.h"
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
  request.wants_coverage = options.coverage;
  if (!options.checkpoint.empty()) request.checkpoint = options.checkpoint;
  if (!options.resume.empty()) request.resume = options.resume;
  request.wants_graph = !options.dump.empty();
  return request;
}

/// What goes to files of its own.
Result<Done> write_extras(const Options& options, const ModelResult& result) {
  if (interrupted() != 0) return Done{};
  if (!options.dump.empty() && result.graph) {
    const std::string text = options.dump.ends_with(".dot")
                                 ? model_graph_dot(*result.graph)
                                 : model_graph_json(*result.graph);
    if (auto ok = write_file_atomically(options.dump, text); !ok) return ok;
  }
  if (!options.tlc_trace.empty() && !result.trace.empty())
    return write_file_atomically(options.tlc_trace, model_tlc_trace(result));
  return Done{};
}

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
  if (auto other = misplaced(options.input, FileKind::Specification))
    return report_error(*other);
  if (options.input.ends_with(".cfg")) {
    const std::string module =
        options.input.substr(0, options.input.size() - 4) + ".tla";
    return report_error(
        wrong_call("'" + options.input + "' is a configuration, not a module",
                   "give the module: txscope model " + module + " --config " +
                       options.input));
  }
  if (!options.dump.empty() && !options.dump.ends_with(".dot") &&
      !options.dump.ends_with(".json"))
    return report_error(wrong_call("--dump " + options.dump + " says no format",
                                   "end the file's name with .dot or .json"));
  const auto budget_limits = limits(options);
  if (!budget_limits) return report_error(budget_limits.error());
  const Budget budget(*budget_limits);
  ModelResult so_far;
  Result<ModelResult> result = [&] {
    Progress progress;
    ModelRequest request = request_of(options);
    // Waiting states may have a quarter of the memory, on two levels.
    if (budget_limits->memory_bytes)
      request.queue_bytes = *budget_limits->memory_bytes / 8;
    return check_model(
        request, budget,
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
  if (auto ok = write_extras(options, *result); !ok)
    return report_error(ok.error());
  for (const Output& output : options.outputs) {
    std::string text;
    if (output.format == "json")
      text = json_report("model", options.input,
                         nlohmann::ordered_json::array({model_json(report)}),
                         seconds_since_start());
    else
      text = output.format == "dot" ? model_dot(report) : model_text(report);
    if (auto ok = write_output(output, text); !ok)
      return report_error(ok.error());
  }
  return status_of(result->outcome);
}

}  // namespace txscope::cli
