#include <map>
#include <set>

#include "report/answer_report.h"
#include "report/dot.h"
#include "report/wrap.h"

namespace txscope {
namespace {

std::string head(const Counterexample& example, std::size_t number) {
  return "digraph violation_" + std::to_string(number) +
         " {\n  label=" + dot_quoted(example.name + " at " + example.level) +
         ";\n  node [shape=box];\n";
}

/// Transactions as boxes, one column per session; so and wr as edges.
std::string transaction_graph(const Workload& workload,
                              const Counterexample& example,
                              std::size_t number) {
  std::map<CallRef, std::string> labels;
  std::set<std::string> reads;
  const auto node = [&](CallRef call) {
    return dot_quoted(workload.name(call));
  };
  for (const Step& step : example.steps) {
    std::string& label = labels[step.call];
    for (const RowUse& read : step.reads) {
      label += "\nr(" + read.key + ")=" + value_text(read);
      if (read.is_own) continue;
      reads.insert("  " + (read.writer ? node(*read.writer) : "\"init\"") +
                   " -> " + node(step.call) +
                   " [label=" + dot_quoted("wr " + read.key) + "];\n");
    }
    for (const RowUse& write : step.writes) {
      label += "\nw(" + write.key + ")=" + value_text(write);
    }
    if (step.kind == Step::Kind::Rollback) label += "\nabort";
    if (step.kind == Step::Kind::Error) label += "\n" + step.seen;
  }
  std::string out = head(example, number);
  if (!reads.empty()) out += "  \"init\";\n";
  const CallRef* before = nullptr;
  for (const auto& [call, label] : labels) {
    out += "  " + node(call) +
           " [label=" + dot_quoted(workload.name(call) + label) + "];\n";
    if (before != nullptr && before->session == call.session) {
      out += "  " + node(*before) + " -> " + node(call) + " [label=\"so\"];\n";
    }
    before = &call;
  }
  for (const std::string& edge : reads) out += edge;
  return out + "}\n";
}

std::string label_of(const Step& step) {
  std::string text = shortened(step.text, 60);
  if (step.kind == Step::Kind::Commit || step.kind == Step::Kind::Rollback) {
    return text;
  }
  if (step.kind == Step::Kind::Wait) text += "\nwaits";
  if (step.kind == Step::Kind::Error) text += "\nerror " + step.code;
  if (step.kind == Step::Kind::Statement && !step.seen.empty()) {
    text += "\n-> " + step.seen;
  }
  return "line " + std::to_string(step.at.line) + "\n" + text;
}

/// A column of statements per session; dashed edges are the order of time.
std::string statement_graph(const Workload& workload,
                            const Counterexample& example, std::size_t number) {
  std::string out = head(example, number);
  std::map<std::uint32_t, std::size_t> last;  // step, by session
  for (std::size_t i = 0; i < example.steps.size(); ++i) {
    const Step& step = example.steps[i];
    const std::string node = "s" + std::to_string(i + 1);
    const std::string& session = workload.sessions[step.call.session].name;
    out += "  " + node + " [group=" + dot_quoted(session) +
           ", label=" + dot_quoted(session + ": " + label_of(step)) + "];\n";
    const auto before = last.find(step.call.session);
    if (before != last.end()) {
      out += "  s" + std::to_string(before->second + 1) + " -> " + node + ";\n";
    }
    if (i > 0 && example.steps[i - 1].call.session != step.call.session) {
      out += "  s" + std::to_string(i) + " -> " + node + " [style=dashed];\n";
    }
    last[step.call.session] = i;
  }
  return out + "}\n";
}

}  // namespace

std::string counterexample_dot(const Workload& workload,
                               const Counterexample& example,
                               std::size_t number) {
  return workload.language == Workload::Language::Sql
             ? statement_graph(workload, example, number)
             : transaction_graph(workload, example, number);
}

std::string answer_dot(const AnswerReport& report) {
  std::string out;
  std::size_t number = 0;
  for (const Answer& answer : *report.answers) {
    for (const Counterexample& example : answer.counterexamples) {
      out += counterexample_dot(*report.workload, example, ++number);
    }
  }
  return out;
}

}  // namespace txscope
