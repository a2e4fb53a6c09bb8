#include <fmt/format.h>

#include "report/check_report.h"
#include "report/model_report.h"
#include "report/page/dot.h"

namespace txscope::report {
namespace {

/// The variables that changed, of the first state all; else a cell would hide
/// what a step did.
std::vector<std::string> state_cells(const TraceState& state,
                                     std::size_t number, bool all_values) {
  std::vector<std::string> cells = {fmt::format("state {}", number + 1)};
  for (const TraceState::Binding& b : state.values)
    if (number == 0 || all_values || b.changed)
      cells.push_back(b.variable + " = " + b.value);
  return cells;
}

/// The behaviour: a box per state, its steps, and where it goes back to.
std::string trace_cluster(const ModelReport& report) {
  const ModelResult& r = *report.result;
  if (r.trace.empty()) return {};
  std::string text = fmt::format(
      "  subgraph cluster_trace {{\n    label={};\n",
      dot_quoted(r.property.empty() ? report.input
                                    : report.input + ": " + r.property));
  const auto node = [](std::size_t i) { return fmt::format("\"s{}\"", i + 1); };
  const std::size_t n = r.trace.size();
  for (std::size_t i = 0; i < n; ++i)
    text +=
        fmt::format("    {} [label={}];\n", node(i),
                    dot_record(state_cells(r.trace[i], i, report.all_values)));
  for (std::size_t i = 1; i < n; ++i)
    text += fmt::format("    {} -> {} [label={}];\n", node(i - 1), node(i),
                        dot_quoted(r.trace[i].action));
  if (r.loop)
    text += fmt::format("    {} -> {} [label=\"forever\", style=bold];\n",
                        node(n - 1), node(*r.loop));
  return text + "  }\n";
}

}  // namespace

std::string model_dot(const ModelReport& report) {
  std::string clusters = trace_cluster(report);
  if (const ModelResult& r = *report.result; r.history)
    clusters += check_dot_part(observed_report(r));
  return dot_graph(clusters);
}

}  // namespace txscope::report
