#include <nlohmann/json.hpp>

#include "report/page/dot.h"
#include "report/robust_report.h"
#include "report/verify_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;
using robust::RobustResult;

Json cycle_json(const robust::Counterexample& c) {
  Json out = Json::array();
  for (const auto& edge : c.cycle) {
    Json row = {{"from", edge.from}, {"to", edge.to}, {"kind", edge.kind}};
    if (!edge.key.empty()) row["key"] = edge.key;
    row["reason"] = edge.reason;
    out.push_back(std::move(row));
  }
  return out;
}

Json schedule_json(const robust::Counterexample& c) {
  using Kind = evidence::Step::Kind;
  Json out = Json::array();
  for (const robust::Counterexample::Step& of : c.steps) {
    const evidence::Step& step = of.told;
    const char* event = step.kind == Kind::Begin       ? "begin"
                        : step.kind == Kind::Statement ? "statement"
                        : step.kind == Kind::Wait      ? "wait"
                        : step.kind == Kind::Error     ? "error"
                                                       : "end";
    Json row = {{"session", c.sessions[step.lane]},
                {"transaction", step.transaction},
                {"event", event},
                {"statement", step.text}};
    if (step.place.line > 0) row["line"] = step.place.line;
    if (const std::string seen = robust_seen(step); !seen.empty())
      row["seen"] = seen;
    out.push_back(std::move(row));
  }
  return out;
}

Json result_json(const RobustResult& r) {
  Json out;
  out["level"] = r.against;
  out["order"] = "session";
  out["against"] = r.against;
  out["verdict"] = robust::verdict_word(r.answer);
  out["notion"] = name(r.notion);
  out["granularity"] = name(r.granularity);
  out["method"] = name(r.method);
  if (!r.why.empty()) out["why"] = r.why;
  if (!r.inputs.empty()) {
    for (const auto& [input, value] : r.inputs) out["inputs"][input] = value;
  }
  if (r.bounds) out["bounds"] = bounds_json(*r.bounds);
  out["cycle"] = Json::array();
  out["schedule"] = Json::array();
  if (r.counterexample) {
    const robust::Counterexample& c = *r.counterexample;
    out["transactions"] = c.transactions;
    out["cycle"] = cycle_json(c);
    if (!c.delayed.empty()) out["delayed"] = c.delayed;
    out["schedule"] = schedule_json(c);
    out["commit_order"] = c.commit_order;
    if (!c.anomaly.empty()) out["anomaly"] = c.anomaly;
    if (!c.new_error.empty()) out["new_error"] = c.new_error;
    out["confirmed"] = {{"of_level", c.is_of_level},
                        {"not_serializable", c.is_refused}};
    if (c.problem) out["replay_problem"] = *c.problem;
  }
  out["repairs"] = Json::array();
  for (const auto& repair : r.repairs) {
    out["repairs"].push_back({{"kind", repair.kind},
                              {"changes", repair.changes},
                              {"diff", repair.diff},
                              {"cost", repair.cost},
                              {"leaves", repair.leaves}});
  }
  if (r.obligations > 0) {
    out["obligations"] = r.obligations;
    out["solver_seconds"] = r.solver_seconds;
  }
  if (!r.open_cycles.empty()) out["open_cycles"] = r.open_cycles;
  if (!r.safe_together.empty()) out["safe_together"] = r.safe_together;
  if (r.all_pairs > 0) out["safe_pairs"] = r.safe_pairs;
  return out;
}

}  // namespace

Json robust_json(const robust::RobustReport& report) {
  Json out = Json::array();
  for (const RobustResult& r : report.results) out.push_back(result_json(r));
  if (report.allocation.empty()) return out;
  Json rows = Json::array();
  for (const auto& row : report.allocation) {
    rows.push_back({{"transaction", row.transaction},
                    {"level", row.level},
                    {"reason", row.reason}});
  }
  if (out.empty()) {
    out.push_back({{"level", nullptr},
                   {"order", "session"},
                   {"verdict", report.is_allocation_cut ||
                                       !report.allocation_problem.empty()
                                   ? "undecided"
                                   : "robust"}});
  }
  out.back()["allocation"] = std::move(rows);
  if (report.is_allocation_cut) out.back()["allocation_cut"] = true;
  if (!report.allocation_problem.empty())
    out.back()["allocation_problem"] = report.allocation_problem;
  return out;
}

std::string robust_dot(const robust::RobustReport& report) {
  std::string out = "digraph robust {\n  rankdir=LR;\n";
  std::size_t number = 0;
  for (const RobustResult& r : report.results) {
    if (!r.counterexample) continue;
    out += "  subgraph cluster_" + std::to_string(number) + " {\n    label=" +
           dot_quoted(r.against + ", " + std::string(name(r.notion))) + ";\n";
    const std::string prefix = std::to_string(number++) + " ";
    for (const auto& edge : r.counterexample->cycle) {
      // In a circle every node is where one edge begins.
      out += "    " + dot_quoted(prefix + edge.from) +
             " [label=" + dot_quoted(edge.from) + "];\n";
      out += "    " + dot_quoted(prefix + edge.from) + " -> " +
             dot_quoted(prefix + edge.to) + " " +
             dot_edge(edge.kind,
                      edge.kind + (edge.key.empty() ? "" : " " + edge.key)) +
             ";\n";
    }
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace txscope::report
