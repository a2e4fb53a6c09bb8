// What `check` says of one history: levels, the smallest evidence of each
// anomaly as lanes and as a ring, and all transactions at a glance.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "check/anomaly/anomaly.h"
#include "check/vacuous.h"
#include "report/check_evidence.h"
#include "report/dictionary/dictionary.h"
#include "report/document/documents.h"
#include "report/document/glance.h"
#include "report/document/seen_versions.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

constexpr std::size_t kMostTransactions = 60;  // of one finding
constexpr std::size_t kMostOperations = 12;    // of a transaction
constexpr std::size_t kMostWithValues = 200;       // steps that have their values
constexpr std::size_t kBig = 200;  // transactions whose strip is too fine
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
    SeenVersions versions(history_, cast.keys);
    for (const TxnId t : txns) {
      if (transactions_++ == kMostTransactions) {
        out_.facts.push_back(
            {"not drawn",
             counted(txns.size() - kMostTransactions, "transaction")});
        break;
      }
      add_transaction(t, cast, versions);
    }
    if (out_.steps.size() > kMostWithValues)
      for (Step& step : out_.steps) step.state.clear();
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

  void add_transaction(TxnId t, const CaseCast& cast, SeenVersions& versions) {
    const Txn txn = history_.at(t);
    const std::size_t own = lane(txn.session);
    Step begin;
    begin.kind = Step::Kind::Begin;
    begin.lane = own;
    begin.transaction = history_.name(t);
    begin.text = begin.transaction;
    begin.place = history_.place(t);
    begin.state = versions.now();
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
      versions.take(op);
      step.state = versions.now();
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
    versions.end(t);
    end.state = versions.now();
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

std::string name_of(const CheckReport& report, std::string title) {
  if (report.number > 0) title += ", history " + std::to_string(report.number);
  if (report.is_one_of_many) title += ": " + report.input;
  return title;
}

/// The verdicts on one history, level by level.
class LevelGrid {
 public:
  LevelGrid(const CheckReport& report, Document& out)
      : report_(report), out_(out) {}

  Grid build() {
    Grid grid;
    grid.title = name_of(report_, "Levels");
    grid.corner = "level";
    grid.columns = {"verdict", "anomaly"};
    for (const CheckReport::Row& row : report_.rows)
      grid.rows.push_back({describe(row.verdict.level), cells_of(row)});
    return grid;
  }

 private:
  std::vector<Cell> cells_of(const CheckReport::Row& row) {
    const Verdict& verdict = row.verdict;
    switch (verdict.outcome()) {
      case Outcome::Violated:
        return {{row.follows_from ? "also violated" : "VIOLATED", Tone::Bad,
                 finding_of(row), ""},
                {title_of(anomaly_of(report_, verdict))}};
      case Outcome::Holds: {
        const std::string nothing =
            check::why_nothing_to_check(*report_.history);
        return {nothing.empty() ? Cell{"holds", Tone::Good, "", ""}
                                : Cell{"vacuous", Tone::Open, "", nothing},
                {"-"}};
      }
      case Outcome::Undecided: break;
    }
    return {{"undecided", Tone::Open, "",
             "the " + to_string(verdict.spent()) + " budget ended"},
            {"-"}};
  }

  /// Its id.
  std::string finding_of(const CheckReport::Row& row) {
    const std::string level = describe(row.verdict.level);
    if (row.follows_from) {
      const auto weaker = by_level_.find(describe(*row.follows_from));
      if (weaker != by_level_.end()) {
        Finding& finding = out_.findings[weaker->second];
        finding.answers.push_back({level, ""});
        return finding.id;
      }
    }
    by_level_[level] = out_.findings.size();
    out_.findings.push_back(AnomalyDocument(report_, row.verdict.level,
                                            row.verdict.refutation(),
                                            anomaly_of(report_, row.verdict))
                                .build());
    return out_.findings.back().id;
  }

  const CheckReport& report_;
  Document& out_;
  std::map<std::string, std::size_t> by_level_;
};

/// "12", or "at least 12" where counting ended.
std::string count_of(const CheckReport& report, const check::AllAnomalies& all,
                     const check::AnomalyKind& kind) {
  const auto rank = [&](const Level& level) {
    return std::find_if(report.rows.begin(), report.rows.end(),
                        [&](const CheckReport::Row& row) {
                          return describe(row.verdict.level) == describe(level);
                        });
  };
  const bool is_whole =
      !all.counted_until || rank(kind.level) < rank(*all.counted_until);
  return (is_whole ? "" : "at least ") + grouped(kind.count);
}

/// Every kind of anomaly with its smallest instance, findings from `first` on
/// being of the same history.
void add_kinds(const CheckReport& report, const check::AllAnomalies& all,
               std::size_t first, Document& out) {
  Grid grid;
  grid.title = name_of(report, "Anomalies by kind");
  grid.corner = "anomaly";
  grid.columns = {"how many, no two with a common read", "weakest level that forbids it"};
  for (const check::AnomalyKind& kind : all.kinds) {
    Finding smallest =
        AnomalyDocument(report, kind.level, kind.smallest, kind.anomaly)
            .build();
    // What nobody asked for is not told twice.
    const auto own = std::span(out.findings).subspan(first);
    auto known = std::find_if(own.begin(), own.end(), [&](const Finding& one) {
      return one.id == smallest.id ||
             (!report.all && one.level == smallest.level &&
              one.title == smallest.title);
    });
    const std::string id = known == own.end() ? smallest.id : known->id;
    const std::string count = count_of(report, all, kind);
    Finding& told = known == own.end() ? smallest : *known;
    told.facts.insert(told.facts.begin(), {"how many", count});
    if (known == own.end()) out.findings.push_back(std::move(smallest));
    grid.rows.push_back({title_of(kind.anomaly),
                         {{count, Tone::Bad, id, ""}, {describe(kind.level)}}});
  }
  if (!grid.rows.empty()) out.grids.push_back(std::move(grid));
}

/// All transactions at a glance, and what ran around each finding.
void add_glance(const CheckReport& report, std::size_t first, Document& out) {
  if (report.history->size() <= kSmall) return;
  const std::span<Finding> own = std::span(out.findings).subspan(first);
  const Glance glance(*report.history, own);
  if (report.history->size() > kBig)
    for (Finding& finding : own) finding.around = glance.around(finding);
  out.overviews.push_back(glance.all());
  out.overviews.back().title = name_of(report, "The history at a glance");
}

}  // namespace

void add_history(const CheckReport& report, Document& out) {
  const std::size_t first = out.findings.size();
  Grid levels = LevelGrid(report, out).build();
  out.grids.push_back(std::move(levels));
  if (report.all)
    add_kinds(report, *report.all, first, out);
  else if (report.counted)
    add_kinds(report, *report.counted, first, out);
  add_glance(report, first, out);
  if (report.is_certified)
    out.notes.emplace_back("every verdict was re-checked from the definitions");
}

}  // namespace txscope::report::document
