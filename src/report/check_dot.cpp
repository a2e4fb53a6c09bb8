#include "check/anomaly.h"
#include "report/check_report.h"
#include "report/dot.h"

namespace txscope {
namespace {

std::string node(const History& history, TxnId t) {
  std::string label = history.name(t);
  const std::string where = history.where(t);
  if (!where.empty()) label += " (" + where + ")";
  return "  " + dot_quoted(history.name(t)) + " [label=" + dot_quoted(label) +
         "];\n";
}

std::string arrow(const History& history, const Edge& edge,
                  const std::string& suffix) {
  std::string label(edge_letters(edge.kind));
  if (edge.key != kNone<KeyId>) label += "(" + history.name(edge.key) + ")";
  const bool is_dashed = edge.kind == EdgeKind::AntiDependency;
  return "  " + dot_quoted(history.name(edge.from)) + " -> " +
         dot_quoted(history.name(edge.to)) +
         " [label=" + dot_quoted(label + suffix) +
         (is_dashed ? ", style=dashed" : "") + "];\n";
}

std::string graph(const History& history, const Verdict& verdict) {
  std::string text = "digraph " + dot_quoted(describe(verdict.level)) +
                     " {\n  node [shape=box, fontname=monospace];\n";
  const auto& cases = verdict.refutation().cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string suffix =
        cases.size() > 1 ? " case " + std::to_string(i + 1) : "";
    if (const auto* bad = std::get_if<BadRead>(&cases[i].contradiction)) {
      text += node(history, history.txn_of(bad->read));
      continue;
    }
    const Cycle& cycle = std::get<Cycle>(cases[i].contradiction);
    for (const Edge& edge : cycle) text += node(history, edge.from);
    for (const Edge& edge : cycle) text += arrow(history, edge, suffix);
  }
  return text + "}\n";
}

}  // namespace

std::string check_dot(const CheckReport& report) {
  std::string text;
  for (const auto& row : report.rows)
    if (row.verdict.outcome() == Outcome::Violated && !row.follows_from)
      text += graph(*report.history, row.verdict);
  if (text.empty()) text = "// no level is violated\ndigraph {}\n";
  return text;
}

}  // namespace txscope
