#include <map>
#include <set>

#include "report/answer_report.h"
#include "report/page/dot.h"

namespace txscope::report {
namespace {

std::string prefix_of(std::size_t number) {
  return std::to_string(number) + "/";
}

std::string cluster_of(const Counterexample& example, std::size_t number,
                       const std::string& body) {
  return "  subgraph cluster_" + std::to_string(number) +
         " {\n    label=" + dot_quoted(example.name + " at " + example.level) +
         ";\n" + body + "  }\n";
}

/// Transactions as boxes, one cell per operation; so and wr as edges.
std::string transaction_graph(const Workload& workload,
                              const Counterexample& example,
                              std::size_t number) {
  std::map<CallRef, std::vector<std::string>> cells;
  std::set<std::string> reads;
  const std::string init = dot_quoted(prefix_of(number) + "init");
  const auto node = [&](CallRef call) {
    return dot_quoted(prefix_of(number) + workload.name(call));
  };
  for (const Step& step : example.steps) {
    std::vector<std::string>& cell = cells[step.call];
    if (cell.empty()) cell.push_back(workload.name(step.call));
    for (const RowUse& read : step.reads) {
      cell.push_back("r(" + read.key + ")=" + value_text(read));
      if (read.is_own) continue;
      reads.insert("    " + (read.writer ? node(*read.writer) : init) + " -> " +
                   node(step.call) + " " + dot_edge("wr", "wr " + read.key) +
                   ";\n");
    }
    for (const RowUse& write : step.writes)
      cell.push_back("w(" + write.key + ")=" + value_text(write));
    if (step.kind == Step::Kind::Rollback) cell.push_back("abort");
    if (step.kind == Step::Kind::Error) cell.push_back(step.seen);
  }
  std::string out;
  if (!reads.empty()) out += "    " + init + " [label=\"init\"];\n";
  const CallRef* before = nullptr;
  for (const auto& [call, cell] : cells) {
    out += "    " + node(call) + " [label=" + dot_record(cell) + "];\n";
    if (before != nullptr && before->session == call.session)
      out += "    " + node(*before) + " -> " + node(call) + " " +
             dot_edge("so", "so") + ";\n";
    before = &call;
  }
  for (const std::string& edge : reads) out += edge;
  return cluster_of(example, number, out);
}

std::vector<std::string> cells_of(const std::string& session,
                                  const Step& step) {
  if (step.kind == Step::Kind::Commit || step.kind == Step::Kind::Rollback)
    return {session, step.text};
  std::vector<std::string> cells = {
      session + ", line " + std::to_string(step.at.line), step.text};
  if (step.kind == Step::Kind::Wait) cells.push_back("waits");
  if (step.kind == Step::Kind::Error) cells.push_back("error " + step.code);
  if (step.kind == Step::Kind::Statement && !step.seen.empty())
    cells.push_back("-> " + step.seen);
  return cells;
}

/// A column of statements per session; dashed edges are the order of time.
std::string statement_graph(const Workload& workload,
                            const Counterexample& example, std::size_t number) {
  std::string out;
  const auto node = [&](std::size_t step) {
    return dot_quoted(prefix_of(number) + std::to_string(step + 1));
  };
  std::map<std::uint32_t, std::size_t> last;  // step, by session
  for (std::size_t i = 0; i < example.steps.size(); ++i) {
    const Step& step = example.steps[i];
    const std::string& session = workload.sessions[step.call.session].name;
    out += "    " + node(i) +
           " [group=" + dot_quoted(prefix_of(number) + session) +
           ", label=" + dot_record(cells_of(session, step)) + "];\n";
    const auto before = last.find(step.call.session);
    if (before != last.end())
      out += "    " + node(before->second) + " -> " + node(i) + ";\n";
    if (i > 0 && example.steps[i - 1].call.session != step.call.session)
      out += "    " + node(i - 1) + " -> " + node(i) + " [style=dashed];\n";
    last[step.call.session] = i;
  }
  return cluster_of(example, number, out);
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
    for (const auto* runs : {&answer.counterexamples, &answer.witnesses})
      for (const Counterexample& run : *runs)
        out += counterexample_dot(*report.workload, run, ++number);
  }
  return dot_graph(out);
}

}  // namespace txscope::report
