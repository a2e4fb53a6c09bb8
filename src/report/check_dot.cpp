#include <set>

#include "check/anomaly/anomaly.h"
#include "report/check_evidence.h"
#include "report/check_report.h"
#include "report/page/dot.h"

namespace txscope::report {
namespace {

// Nodes of one picture; names are unique in the whole file.
class Picture {
 public:
  Picture(const History& history, std::string prefix)
      : history_(history), prefix_(std::move(prefix)) {}

  void add(TxnId t) {
    if (!seen_.insert(t).second) return;
    std::vector<std::string> cells = {history_.name(t)};
    if (const std::string where = history_.where(t); !where.empty())
      cells.front() += "\n" + where;
    const Txn& txn = history_.at(t);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
      cells.push_back(history_.describe_whole(OpId(i)));
    text_ += "    " + name(t) + " [label=" + dot_record(cells) + "];\n";
  }
  void add(const Edge& edge, const std::string& suffix) {
    std::string label(check::edge_letters(edge.kind));
    if (edge.key != kNone<KeyId>) label += "(" + history_.name(edge.key) + ")";
    arrows_ += "    " + name(edge.from) + " -> " + name(edge.to) + " " +
               dot_edge(check::edge_letters(edge.kind), label + suffix) + ";\n";
  }
  [[nodiscard]] std::string text() const { return text_ + arrows_; }

 private:
  [[nodiscard]] std::string name(TxnId t) const {
    return dot_quoted(prefix_ + std::to_string(t.index));
  }
  const History& history_;
  std::string prefix_;
  std::set<TxnId> seen_;
  std::string text_;
  std::string arrows_;
};

std::string cluster(const CheckReport& report, const Verdict& verdict) {
  // Unlike that of any other history in the same file.
  const std::string id = (report.is_one_of_many ? report.input + "_" : "") +
                         std::to_string(report.number) + "_" +
                         std::string(name(verdict.level.base)) + "_" +
                         std::string(name(verdict.level.order));
  const History& history = *report.history;
  Picture picture(history, id + "/");
  const auto cases = cases_to_draw(verdict.refutation());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string suffix =
        cases.size() > 1 ? " case " + std::to_string(i + 1) : "";
    if (const auto* bad = std::get_if<BadRead>(&cases[i].contradiction)) {
      picture.add(history.txn_of(bad->read));
      if (bad->other != kNone<OpId>) picture.add(history.txn_of(bad->other));
    } else if (const auto* set =
                   std::get_if<UnfoundedSet>(&cases[i].contradiction)) {
      for (const auto& member : set->members) picture.add(member.txn);
    } else {
      const Cycle& cycle = std::get<Cycle>(cases[i].contradiction);
      for (const Edge& edge : cycle) picture.add(edge.from);
      for (const Edge& edge : cycle) picture.add(edge, suffix);
    }
  }
  const Anomaly anomaly = anomaly_of(report, verdict);
  std::string title = describe(verdict.level) + ": " + anomaly.id;
  if (report.number > 0)
    title = "history " + std::to_string(report.number) + ", " + title;
  if (report.is_one_of_many) title = report.input + ": " + title;
  return "  subgraph " + dot_quoted("cluster_" + id) +
         " {\n    label=" + dot_quoted(title) + ";\n" + picture.text() +
         "  }\n";
}

}  // namespace

std::string check_dot_part(const CheckReport& report) {
  std::string text;
  for (const auto& row : report.rows)
    if (row.verdict.outcome() == Outcome::Violated && !row.follows_from)
      text += cluster(report, row.verdict);
  return text;
}

}  // namespace txscope::report
