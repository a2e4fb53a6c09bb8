#include <nlohmann/json.hpp>

#include "report/analyze_report.h"
#include "report/answer_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

Json matrix_of(const analyze::Analysis& found) {
  Json matrix = Json::array();
  for (const analyze::Cell& cell : found.cells) {
    Json one = {{"a", found.types[cell.a].name},
                {"b", found.types[cell.b].name},
                {"level", found.level},
                {"verdict", name(cell.verdict)},
                {"deadlock", cell.has_deadlock},
                {"errors", cell.errors},
                {"tried", cell.tried}};
    if (!cell.why.empty()) one["why"] = cell.why;
    matrix.push_back(std::move(one));
  }
  return matrix;
}

Json names_of(const analyze::Analysis& found, const analyze::Group& group) {
  Json names = Json::array();
  for (const std::size_t type : group) names.push_back(found.types[type].name);
  return names;
}

Json triples_of(const analyze::Analysis& found) {
  Json triples = Json::array();
  for (const analyze::Triple& triple : found.triples) {
    Json one = {{"transactions", names_of(found, triple.group)},
                {"verdict", name(triple.verdict)},
                {"deadlock", triple.has_deadlock},
                {"tried", triple.tried}};
    if (!triple.why.empty()) one["why"] = triple.why;
    triples.push_back(std::move(one));
  }
  return triples;
}

Json levels_of(const analyze::LevelTable& table) {
  using Known = analyze::LevelTable::Known;
  const auto word = [](Known known) -> Json {
    if (known == Known::Unknown) return nullptr;
    return known == Known::Kept;
  };
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json kept = Json::object();
    for (std::size_t l = 0; l < row.at.size(); ++l)
      kept[table.levels[l]] = word(row.at[l]);
    rows.push_back({{row.is_rule ? "rule" : "finding", row.what},
                    {"kept", std::move(kept)}});
  }
  Json needs = Json::array();
  for (const auto& need : table.needs)
    needs.push_back({{"transaction", need.transaction},
                     {"level", need.level},
                     {"reason", need.reason}});
  return {{"rows", std::move(rows)}, {"proved", std::move(needs)}};
}

Json finding_of(const analyze::Analysis& found,
                const analyze::RaceFinding& finding) {
  Json pairs = Json::array();
  for (const analyze::Group& group : finding.groups)
    pairs.push_back(names_of(found, group));
  Json repairs = Json::array();
  for (const Repair& repair : finding.repairs)
    repairs.push_back({{"kind", repair.kind},
                       {"what", repair.what()},
                       {"diff", repair.diff},
                       {"tried", true},
                       {"holds", true},
                       {"cost", repair.cost},
                       {"leaves", repair.leaves}});
  Json one = {{"id", finding.id},
              {"kind", name(finding.kind)},
              {"anomaly", finding.example.anomaly.words},
              {"transactions", pairs.front()},
              {"pairs", pairs},
              {"sentence", finding.sentence},
              {"rules", finding.rules},
              {"suggested", finding.suggested}};
  if (!finding.before.empty()) one["before"] = finding.before;
  if (!finding.code.empty()) one["code"] = finding.code;
  if (!finding.serially.empty()) one["serially"] = finding.serially;
  if (!finding.example.steps.empty()) {
    const Json run = counterexample_json(finding.workload, finding.example);
    one["schedule"] = run.contains("schedule") ? run["schedule"] : run;
    one["run"] = run;
  }
  one["repairs"] = std::move(repairs);
  if (!finding.accepted.empty()) one["ignored"] = finding.accepted;
  if (!finding.safe_from.empty()) one["safe_from"] = finding.safe_from;
  return one;
}

/// "violated" if something goes wrong, "undecided" if a pair is open.
std::string_view verdict_of(const analyze::Analysis& found) {
  for (const analyze::RaceFinding& finding : found.findings)
    if (finding.kind != analyze::FindingKind::Error && finding.accepted.empty())
      return "violated";
  if (found.types.empty()) return "undecided";
  for (const analyze::Cell& cell : found.cells)
    if (cell.verdict == analyze::CellVerdict::Undecided) return "undecided";
  return "holds";
}

}  // namespace

Json analyze_json(const analyze::Analysis& found) {
  Json findings = Json::array();
  for (const analyze::RaceFinding& finding : found.findings)
    findings.push_back(finding_of(found, finding));
  Json types = Json::array();
  for (const analyze::TransactionType& type : found.types)
    types.push_back(type.name);
  return {{"level", found.level},
          {"order", "session"},
          {"verdict", verdict_of(found)},
          {"transactions", std::move(types)},
          {"matrix", matrix_of(found)},
          {"triples", triples_of(found)},
          {"triples_left", found.triples_left},
          {"findings", std::move(findings)},
          {"levels", levels_of(found.levels)},
          {"suggested_rules", found.suggested},
          {"checked",
           {{"transactions", found.types.size()},
            {"pairs", found.cells.size()},
            {"searches", found.searches},
            {"outcomes", found.outcomes},
            {"rules", found.rules}}},
          {"not_checked", found.not_checked},
          {"notes", found.notes}};
}

}  // namespace txscope::report
