#include <set>

#include "check/anomaly.h"
#include "report/check_report.h"
#include "report/dot.h"

namespace txscope {
namespace {

std::string_view colour_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Session:
    case EdgeKind::Realtime: return "gray40";
    case EdgeKind::ReadsFrom: return "forestgreen";
    case EdgeKind::WriteOrder: return "royalblue";
    case EdgeKind::AntiDependency: return "firebrick";
  }
  return "black";
}

// A record has one cell per operation; these characters would make more.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("{}|<> \\").find(c) != std::string_view::npos)
      safe += '\\';
    safe += c;
  }
  return safe;
}

// Nodes of one picture; names are unique in the whole file.
class Picture {
 public:
  Picture(const History& history, std::string prefix)
      : history_(history), prefix_(std::move(prefix)) {}

  void add(TxnId t) {
    if (!seen_.insert(t).second) return;
    std::string label = cell(history_.name(t));
    if (const std::string where = history_.where(t); !where.empty())
      label += "\\n" + cell(where);
    const Txn& txn = history_.at(t);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
      label += "|" + cell(history_.describe(OpId(i)));
    text_ += "    " + name(t) + " [label=" + quoted(label) + "];\n";
  }
  void add(const Edge& edge, const std::string& suffix) {
    std::string label(edge_letters(edge.kind));
    if (edge.key != kNone<KeyId>) label += "(" + history_.name(edge.key) + ")";
    const std::string colour(colour_of(edge.kind));
    arrows_ += "    " + name(edge.from) + " -> " + name(edge.to) +
               " [label=" + dot_quoted(label + suffix) + ", color=" + colour +
               ", fontcolor=" + colour +
               (edge.kind == EdgeKind::AntiDependency ? ", style=dashed" : "") +
               "];\n";
  }
  [[nodiscard]] std::string text() const { return text_ + arrows_; }

 private:
  [[nodiscard]] std::string name(TxnId t) const {
    return dot_quoted(prefix_ + history_.name(t));
  }
  // As dot_quoted, but backslashes are those of cell().
  static std::string quoted(const std::string& text) {
    std::string safe = "\"";
    for (const char c : text) {
      if (c == '"') safe += '\\';
      safe += c;
    }
    return safe + "\"";
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
  const auto& cases = verdict.refutation().cases;
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
  const Anomaly anomaly =
      anomaly_of(history, verdict.level, verdict.refutation());
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

std::string check_dot(const std::string& parts) {
  if (parts.empty()) return "// no level is violated\ndigraph {}\n";
  return "digraph txscope {\n  node [shape=record, fontname=monospace];\n" +
         parts + "}\n";
}

}  // namespace txscope
