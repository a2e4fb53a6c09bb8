#include <map>
#include <set>

#include "report/dot.h"
#include "report/explore_report.h"

namespace txscope {
namespace {

using StepKind = ScheduleStep::Kind;

/// Transactions as boxes, one column per session; so and wr as edges.
std::string graph(const ExploreReport& report, const Violation& violation,
                  std::size_t number) {
  const Program& program = *report.program;
  const Code& code = *report.code;
  std::map<std::uint32_t, std::string> labels;
  std::set<std::string> reads;
  const auto node = [&](InstanceId i) {
    return dot_quoted(instance_name(program, code, i));
  };
  for (const ScheduleStep& step : violation.schedule) {
    std::string& label = labels[step.instance.index];
    const std::string key = key_name(program, code, step.key);
    const std::string value = std::to_string(step.value);
    if (step.kind == StepKind::Read) label += "\nr(" + key + ")=" + value;
    if (step.kind == StepKind::Write) label += "\nw(" + key + ")=" + value;
    if (step.kind == StepKind::Abort) label += "\nabort";
    if (step.kind == StepKind::Fault) {
      label += "\n" + std::string(describe(step.fault));
    }
    if (step.kind == StepKind::Read && !step.is_own) {
      reads.insert("  " + node(step.source) + " -> " + node(step.instance) +
                   " [label=" + dot_quoted("wr " + key) + "];\n");
    }
  }
  std::string out = "digraph violation_" + std::to_string(number) + " {\n";
  out +=
      "  label=" +
      dot_quoted(violation.name + " at " + std::string(name(violation.level))) +
      ";\n  node [shape=box];\n";
  if (!reads.empty()) out += "  \"init\";\n";
  InstanceId before = kInit;
  for (const auto& [index, label] : labels) {
    const InstanceId i(index);
    out += "  " + node(i) +
           " [label=" + dot_quoted(instance_name(program, code, i) + label) +
           "];\n";
    if (before != kInit &&
        code.instances[before.index].session == code.instances[index].session) {
      out += "  " + node(before) + " -> " + node(i) + " [label=\"so\"];\n";
    }
    before = i;
  }
  for (const std::string& edge : reads) out += edge;
  return out + "}\n";
}

}  // namespace

std::string violation_dot(const ExploreReport& report,
                          const Violation& violation, std::size_t number) {
  return graph(report, violation, number);
}

std::string explore_dot(const ExploreReport& report) {
  std::string out;
  std::size_t number = 0;
  for (const LevelResult& level : report.result->levels) {
    for (const Violation& violation : level.violations) {
      out += graph(report, violation, ++number);
    }
  }
  return out;
}

}  // namespace txscope
