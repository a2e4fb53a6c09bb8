// What `check` says of one history: levels, the smallest evidence of each
// anomaly as lanes and as a ring, and all transactions at a glance.
#include <algorithm>
#include <map>
#include <set>

#include "check/anomaly/anomaly.h"
#include "check/vacuous.h"
#include "report/check_evidence.h"
#include "report/dictionary/dictionary.h"
#include "report/document/documents.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

constexpr std::size_t kMostTransactions = 60;  // of one finding
constexpr std::size_t kMostOperations = 12;    // of a transaction
constexpr std::size_t kMostDrawn = 50'000;     // of an overview
constexpr std::size_t kSmall = 8;  // transactions that need no overview

/// What one case speaks of.
struct CaseCast {
  std::vector<TxnId> txns;
  std::set<KeyId> keys;
  std::set<OpId> ops;

  void add(TxnId t) {
    if (std::find(txns.begin(), txns.end(), t) == txns.end()) txns.push_back(t);
  }
  void add(const History& history, OpId op) {
    if (op == kNone<OpId>) return;
    add(history.txn_of(op));
    keys.insert(history.at(op).key);
    ops.insert(op);
  }
};

CaseCast cast_of(const History& history, const Case& one) {
  CaseCast cast;
  if (const auto* cycle = std::get_if<Cycle>(&one.contradiction)) {
    for (const txscope::Edge& edge : *cycle) {
      cast.add(edge.from);
      if (edge.key != kNone<KeyId>) cast.keys.insert(edge.key);
      cast.add(history, edge.read);
      cast.add(history, edge.forced_by);
    }
  } else if (const auto* bad = std::get_if<BadRead>(&one.contradiction)) {
    cast.add(history, bad->read);
    cast.add(history, bad->other);
  } else {
    for (const auto& m : std::get<UnfoundedSet>(one.contradiction).members) {
      cast.add(m.txn);
      cast.add(history, m.read);
    }
  }
  return cast;
}

std::string title_of(const Anomaly& anomaly) {
  if (anomaly.words.empty()) return anomaly.id;
  return anomaly.words + " (" + anomaly.id + ")";
}

/// One anomaly with its smallest evidence.
class AnomalyDocument {
 public:
  AnomalyDocument(const CheckReport& report, Level level,
                  const Refutation& refutation, Anomaly anomaly)
      : history_(*report.history),
        level_(level),
        refutation_(refutation),
        anomaly_(std::move(anomaly)) {
    out_.input = report.input;
    // Without a place, where nobody knows lines.
    out_.place.file = report.input;
  }

  Finding build() {
    out_.level = describe(level_);
    out_.answers = {{out_.level, ""}};
    out_.kind = kind_of_anomaly(anomaly_.words, anomaly_.id);
    out_.title = capitalised(title_of(anomaly_)) + ": forbidden by " +
                 std::string(txscope::name(level_.base)) + " and above";
    const auto drawn = cases_to_draw(refutation_);
    if (!drawn.empty()) draw(drawn.front());
    if (refutation_.cases.size() > 1)
      out_.facts.push_back({"cases", grouped(refutation_.cases.size()) +
                                         ", each contradicts itself; the first "
                                         "is drawn"});
    if (!refutation_.lemmas.empty())
      out_.facts.push_back({"lemmas", grouped(refutation_.lemmas.size())});
    out_.scripts.push_back({"The evidence in words",
                            show_refutation(history_, level_, refutation_)});
    add_practice();
    std::vector<std::string> texts = {out_.level, anomaly_.id};
    for (const Step& step : out_.steps) texts.push_back(step.text);
    out_.id = out_.kind + "-" + fingerprint(texts);
    return std::move(out_);
  }

 private:
  void draw(const Case& one) {
    const CaseCast cast = cast_of(history_, one);
    std::vector<TxnId> txns = cast.txns;
    std::erase(txns, History::kInitial);
    std::sort(txns.begin(), txns.end(), [&](TxnId a, TxnId b) {
      const Txn& first = history_.at(a);
      const Txn& second = history_.at(b);
      if (first.start != Txn::kNoTime && second.start != Txn::kNoTime &&
          first.start != second.start)
        return first.start < second.start;
      if (first.line != second.line) return first.line < second.line;
      return a < b;
    });
    for (const TxnId t : txns) {
      if (transactions_++ == kMostTransactions) {
        out_.facts.push_back(
            {"not drawn",
             counted(txns.size() - kMostTransactions, "transaction")});
        break;
      }
      add_transaction(t, cast);
    }
    if (!txns.empty() && out_.place.line == 0)
      out_.place = history_.place(txns[0]);
    if (const auto* cycle = std::get_if<Cycle>(&one.contradiction))
      for (const txscope::Edge& edge : *cycle) add_edge(edge);
    if (const auto* bad = std::get_if<BadRead>(&one.contradiction))
      out_.facts.push_back({"why", check::reason(history_, *bad)});
    if (const auto* set = std::get_if<UnfoundedSet>(&one.contradiction)) {
      for (std::size_t i = 0;
           i < std::min<std::size_t>(set->members.size(), 12); ++i)
        out_.facts.push_back({"why", check::reason(history_, set->members[i])});
      out_.facts.push_back({"so", check::conclusion(*set)});
    }
  }

  std::size_t lane(SessionId session) {
    const auto [entry, is_new] = lanes_.emplace(session, out_.lanes.size());
    if (is_new) out_.lanes.push_back("session " + history_.name(session));
    return entry->second;
  }

  void add_transaction(TxnId t, const CaseCast& cast) {
    const Txn txn = history_.at(t);
    const std::size_t own = lane(txn.session);
    Step begin;
    begin.kind = Step::Kind::Begin;
    begin.lane = own;
    begin.transaction = history_.name(t);
    begin.text = begin.transaction;
    begin.place = history_.place(t);
    first_step_[t] = out_.steps.size();
    out_.steps.push_back(begin);
    std::size_t left_out = 0;
    std::size_t shown = 0;
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      const OpId op(i);
      const bool is_wanted = cast.keys.contains(history_.at(op).key) &&
                             (shown < kMostOperations || cast.ops.contains(op));
      if (!is_wanted) {
        ++left_out;
        continue;
      }
      ++shown;
      step_of_[op] = out_.steps.size();
      Step step;
      step.lane = own;
      step.transaction = begin.transaction;
      step.text = history_.describe(op);
      step.place = history_.place(op);
      out_.steps.push_back(std::move(step));
    }
    Step end;
    end.lane = own;
    end.transaction = begin.transaction;
    end.kind = txn.status == Status::Committed ? Step::Kind::Commit
                                               : Step::Kind::Rollback;
    end.text = txn.status == Status::Committed ? "commit"
               : txn.status == Status::Aborted ? "abort"
                                               : "outcome unknown";
    if (left_out > 0) end.notes.push_back(counted(left_out, "other operation"));
    out_.steps.push_back(std::move(end));
  }

  /// The step of t that writes a key, or its first one.
  [[nodiscard]] std::optional<std::size_t> write_step(TxnId t,
                                                      KeyId key) const {
    const auto first = first_step_.find(t);
    if (first == first_step_.end()) return std::nullopt;
    std::size_t found = first->second;
    const Txn txn = history_.at(t);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      const auto step = step_of_.find(OpId(i));
      const Op op = history_.at(OpId(i));
      if (step != step_of_.end() && op.key == key && op.is_write())
        found = step->second;
    }
    return found;
  }

  void add_edge(const txscope::Edge& edge) {
    out_.cycle.push_back(
        {history_.name(edge.from), history_.name(edge.to),
         std::string(check::edge_letters(edge.kind)),
         edge.key == kNone<KeyId> ? "" : history_.name(edge.key),
         check::reason(history_, edge)});
    const auto read = step_of_.find(edge.read);
    if (read == step_of_.end()) return;
    if (edge.kind == EdgeKind::ReadsFrom) {
      if (const auto write = write_step(edge.from, edge.key))
        out_.arrows.push_back({Arrow::Kind::ReadsFrom, *write, read->second,
                               history_.name(edge.key)});
    } else if (edge.kind == EdgeKind::AntiDependency) {
      if (const auto write = write_step(edge.to, edge.key))
        out_.arrows.push_back({Arrow::Kind::Overwritten, read->second, *write,
                               history_.name(edge.key)});
    }
  }

  void add_practice() {
    const auto* entry = dictionary::find(anomaly_.words);
    if (entry == nullptr) entry = dictionary::find(anomaly_.id);
    if (entry == nullptr) return;
    out_.word = dictionary::canonical(entry->name);
    if (!entry->practice.empty())
      out_.repairs.push_back({std::string(entry->practice), "", false, {}});
  }

  const History& history_;
  const Level level_;
  const Refutation& refutation_;
  const Anomaly anomaly_;
  std::map<SessionId, std::size_t> lanes_;
  std::map<TxnId, std::size_t> first_step_;
  std::map<OpId, std::size_t> step_of_;
  std::size_t transactions_ = 0;
  Finding out_;
};

/// All transactions, small.
class GlanceDocument {
 public:
  GlanceDocument(const CheckReport& report,
                 const std::vector<Finding>& findings)
      : history_(*report.history) {
    for (const Finding& finding : findings)
      for (const Step& step : finding.steps)
        part_of_.emplace(step.transaction, finding.id);
    out_.title = "The history at a glance";
    if (report.number > 0)
      out_.title += ", history " + std::to_string(report.number);
    if (report.is_one_of_many) out_.title += ": " + report.input;
  }

  Overview build() {
    find_clock();
    std::size_t drawn = 0;
    for (std::size_t s = 0; s < history_.sessions().size(); ++s) {
      const txscope::Session& session = history_.sessions()[s];
      Overview::Lane& lane = out_.lanes.emplace_back();
      lane.name = history_.name(SessionId(s));
      for (auto t = session.first.index; t < session.end.index; ++t) {
        if (++drawn > kMostDrawn) {
          ++out_.left_out;
          continue;
        }
        lane.txns.push_back(told(TxnId(t)));
      }
    }
    return std::move(out_);
  }

 private:
  void find_clock() {
    std::int64_t last = 0;
    out_.has_times = true;
    first_ = INT64_MAX;
    for (std::size_t t = 1; t < history_.size(); ++t) {
      const Txn txn = history_.at(TxnId(t));
      if (txn.start == Txn::kNoTime) {
        out_.has_times = false;
        break;
      }
      first_ = std::min(first_, txn.start);
      last = std::max({last, txn.start, txn.end});
    }
    if (out_.has_times) {
      out_.end =
          static_cast<std::uint64_t>(std::max<std::int64_t>(last - first_, 1));
      return;
    }
    // By line, or by number where lines say nothing.
    std::uint32_t most = 0;
    for (std::size_t t = 1; t < history_.size(); ++t)
      most = std::max(most, history_.at(TxnId(t)).line);
    has_lines_ = most >= history_.size() / 2;
    out_.end = has_lines_ ? most + 1 : history_.size();
  }

  [[nodiscard]] Overview::Txn told(TxnId t) const {
    const Txn txn = history_.at(t);
    Overview::Txn out;
    out.name = history_.name(t);
    if (out_.has_times) {
      out.from = static_cast<std::uint64_t>(txn.start - first_);
      out.to = txn.end == Txn::kNoTime
                   ? out_.end
                   : static_cast<std::uint64_t>(txn.end - first_);
    } else {
      out.from = has_lines_ ? txn.line : t.index;
      out.to = out.from + 1;
    }
    std::size_t shown = 0;
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      if (++shown > 4) {
        out.text += " ..";
        break;
      }
      out.text += (shown > 1 ? " " : "") + history_.describe(OpId(i));
    }
    out.where = history_.where(t);
    const auto part = part_of_.find(out.name);
    if (part != part_of_.end()) out.finding = part->second;
    out.is_aborted = txn.status != Status::Committed;
    return out;
  }

  const History& history_;
  std::map<std::string, std::string> part_of_;
  std::int64_t first_ = 0;
  bool has_lines_ = false;
  Overview out_;
};

Grid kinds_of(const CheckReport& report, const std::vector<std::string>& ids) {
  Grid grid;
  grid.title = "Anomalies by kind";
  grid.corner = "anomaly";
  grid.columns = {"how many share no read", "weakest level that forbids it"};
  for (std::size_t i = 0; i < report.all->kinds.size(); ++i) {
    const check::AnomalyKind& kind = report.all->kinds[i];
    grid.rows.push_back({title_of(kind.anomaly),
                         {{grouped(kind.count), Tone::Bad, ids[i], ""},
                          {describe(kind.level)}}});
  }
  return grid;
}

}  // namespace

void add_history(const CheckReport& report, Document& out) {
  const std::size_t first = out.findings.size();
  Grid grid;
  grid.title = "Levels";
  if (report.number > 0)
    grid.title += ", history " + std::to_string(report.number);
  if (report.is_one_of_many) grid.title += ": " + report.input;
  grid.corner = "level";
  grid.columns = {"verdict", "anomaly"};
  std::map<std::string, std::size_t> by_level;
  for (const CheckReport::Row& row : report.rows) {
    const Verdict& verdict = row.verdict;
    Grid::Row cells{describe(verdict.level), {}};
    if (verdict.outcome() == Outcome::Violated) {
      std::string id;
      if (row.follows_from && by_level.contains(describe(*row.follows_from))) {
        Finding& finding = out.findings[by_level[describe(*row.follows_from)]];
        finding.answers.push_back({describe(verdict.level), ""});
        id = finding.id;
      } else {
        Finding finding =
            AnomalyDocument(report, verdict.level, verdict.refutation(),
                            anomaly_of(report, verdict))
                .build();
        id = finding.id;
        by_level[describe(verdict.level)] = out.findings.size();
        out.findings.push_back(std::move(finding));
      }
      cells.cells = {
          {row.follows_from ? "also violated" : "VIOLATED", Tone::Bad, id, ""},
          {title_of(anomaly_of(report, verdict))}};
    } else if (verdict.outcome() == Outcome::Holds) {
      const std::string nothing = check::why_nothing_to_check(*report.history);
      cells.cells = {nothing.empty() ? Cell{"holds", Tone::Good, "", ""}
                                     : Cell{"vacuous", Tone::Open, "", nothing},
                     {"-"}};
    } else {
      cells.cells = {{"undecided", Tone::Open, "",
                      "the " + to_string(verdict.spent()) + " budget ended"},
                     {"-"}};
    }
    grid.rows.push_back(std::move(cells));
  }
  out.grids.push_back(std::move(grid));
  if (report.all) {
    std::vector<std::string> ids;
    for (const check::AnomalyKind& kind : report.all->kinds) {
      Finding finding =
          AnomalyDocument(report, kind.level, kind.smallest, kind.anomaly)
              .build();
      finding.facts.insert(finding.facts.begin(),
                           {"how many", grouped(kind.count)});
      ids.push_back(finding.id);
      const bool is_known =
          std::any_of(out.findings.begin(), out.findings.end(),
                      [&](const Finding& one) { return one.id == finding.id; });
      if (!is_known) out.findings.push_back(std::move(finding));
    }
    if (!ids.empty()) out.grids.push_back(kinds_of(report, ids));
  }
  if (report.history->size() > kSmall)
    out.overviews.push_back(
        GlanceDocument(
            report, {out.findings.begin() + static_cast<std::ptrdiff_t>(first),
                     out.findings.end()})
            .build());
  if (report.is_certified)
    out.notes.emplace_back("every verdict was re-checked from the definitions");
}

}  // namespace txscope::report::document
